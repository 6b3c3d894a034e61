import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from '../../runtime/agent-client/agent-client.ts';
import { DockerBackend } from '../../runtime/containers/docker/docker-backend.ts';
import { parseConversationId, parseTenantId } from '../../runtime/contracts/ids.ts';
import { DirectoryObjectStore } from '../../runtime/objects/directory/directory-object-store.ts';
import { saveFiles } from '../../runtime/saving/save-files.ts';
import { must } from '../support/must.ts';
import type { BenchSetting } from './bench-setting.ts';
import { benchContainer } from './container-by-hand.ts';
import { CountingObjects } from './counting-objects.ts';
import { type Figure, median } from './figure.ts';

const FILES = 1000;
const ROUNDS = 5;
const tenant = must(parseTenantId('bench'));
const MAKE = `mkdir -p d; for i in $(seq ${FILES - 1}); do printf '%s %2000s' $i > d/$i; done; echo 0 > changing`;

/** What is put into the object store for one changed file of 1,000, and how long that takes against the first save. */
export async function changedFile({ dockerHost, installation, image }: BenchSetting): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const socketBasePath = join(folder, 's');
  const backend = new DockerBackend({ dockerHost, installation, version: '0', socketBasePath });
  const spec = benchContainer(image);
  await backend.create(spec);
  const agent = new AgentClient(() => backend.endpoint(spec.id, 'agent'), spec.env.AGENT_TOKEN ?? '');
  const objects = new CountingObjects(await DirectoryObjectStore.open(join(folder, 'objects')));
  const bash = (script: string) =>
    agent.exec({ cmd: ['bash', '-c', script], timeout: 60 }, AbortSignal.timeout(60_000));

  /** Into a conversation of its own: for the store nothing of it is known. */
  async function round(): Promise<{ first: Save; changed: Save }> {
    const conversation = must(parseConversationId(randomUUID()));
    const first = await save(conversation, null);
    await bash('date +%N%s > changing');
    return { first, changed: await save(conversation, first.version) };
  }

  async function save(conversation: ReturnType<typeof parseConversationId>, savedVersion: string | null) {
    const owner = { tenant, conversation: must(conversation), container: spec.id, savedVersion };
    const before = objects.puts;
    const started = performance.now();
    const signal = AbortSignal.timeout(60_000);
    const result = await saveFiles(objects, owner, agent, { exclude: [], signal, now: Date.now() });
    const ms = performance.now() - started;
    if (result.kind !== 'saved' || result.files !== FILES)
      throw new Error(`not all is saved: ${result.kind}`);
    return { ms, puts: objects.puts - before, version: result.version };
  }
  type Save = Awaited<ReturnType<typeof save>>;

  try {
    await bash(MAKE);
    await round(); // it warms up
    const rounds: { first: Save; changed: Save }[] = [];
    while (rounds.length < ROUNDS) rounds.push(await round());
    return [
      {
        name: 'objects put for one changed file of 1,000',
        unit: 'puts',
        ours: Math.max(...rounds.map(({ changed }) => changed.puts)),
        goal: 2,
      },
      {
        name: 'saving one changed file of 1,000',
        unit: 'ms',
        ours: median(rounds.map(({ changed }) => changed.ms)),
        reference: { name: 'the first save of all', value: median(rounds.map(({ first }) => first.ms)) },
      },
    ];
  } finally {
    agent.close();
    await objects.close();
    await backend.destroy(spec.id);
    await backend.close();
    rmSync(folder, { recursive: true });
  }
}
