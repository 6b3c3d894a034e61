import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentClients } from '../../../runtime/agent-client/agent-clients.ts';
import { ProcessBackend } from '../../../runtime/containers/process/process-backend.ts';
import { parseConversationId, parseTenantId } from '../../../runtime/contracts/ids.ts';
import { ActiveWork } from '../../../runtime/conversations/active-work.ts';
import { ContainerAcquisition } from '../../../runtime/conversations/container-acquisition.ts';
import { ContainerEnding } from '../../../runtime/conversations/container-ending.ts';
import { ContainerPreparation } from '../../../runtime/conversations/container-preparation.ts';
import type { ConversationSettings } from '../../../runtime/conversations/conversation-settings.ts';
import { ConversationWork } from '../../../runtime/conversations/conversation-work.ts';
import { Conversations } from '../../../runtime/conversations/conversations.ts';
import { CrashRecovery } from '../../../runtime/conversations/crash-recovery.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import { MemoryConversationStore } from '../../../runtime/state/memory/memory-conversation-store.ts';
import { must } from '../../support/must.ts';

const AGENT = fileURLToPath(new URL('../../support/fixtures/hostile-agent.ts', import.meta.url));
const caller = { tenant: must(parseTenantId('acme')), conversation: must(parseConversationId('c1')) };
const never = new AbortController().signal;
const log = pino({ level: 'silent' });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The real parts around containers whose agent has been replaced. */
function around(manner: string) {
  const secret = new InstallationSecret(randomBytes(32));
  const store = new MemoryConversationStore();
  const backend = new ProcessBackend({
    installation: 'hostile',
    version: '0',
    dataDir: folder,
    socketBasePath: join(folder, 's'),
    agentEntry: AGENT,
    nodePath: process.execPath,
  });
  const agents = new AgentClients(backend, secret);
  const settings: ConversationSettings = {
    version: manner,
    image: 'workspace-base:0',
    backend: backend.kind,
    maxContainers: 1,
    ttl: { idleSeconds: 60, maxLifetimeSeconds: 600 },
    executionTimeout: 10,
    gracePeriod: 1,
  };
  const active = new ActiveWork();
  const ending = new ContainerEnding(store, backend, agents);
  const parts = { store, backend, agents, secret, settings, ending, log, active };
  const preparation = new ContainerPreparation({
    ...parts,
    images: { require: () => undefined, lost: () => undefined },
    onStarted: () => undefined,
  });
  const acquisition = new ContainerAcquisition({ ...parts, preparation, instance: 'test' });
  const recovery = new CrashRecovery({ ...parts, onCrash: () => undefined });
  const conversations = new Conversations({
    ...parts,
    work: new ConversationWork({ ...parts, acquisition, recovery }),
  });
  return { conversations, store, backend };
}

describe('a container whose agent was replaced', () => {
  it('and can not prove itself gets nothing: no ticket, no command, and it is ended', async () => {
    const { conversations, store, backend } = around('lies');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'HEALTH_CHECK_FAILED',
      detail: expect.stringContaining('does not prove to be the agent'),
    });
    expect(await backend.list('conversation')).toEqual([]);
    expect(await store.count()).toEqual({ reserved: 0, live: 0 });
  });

  it('and claims to be someone’s already is ended', async () => {
    const { conversations, backend } = around('claims');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'HEALTH_CHECK_FAILED',
      detail: expect.stringContaining('assigned before it was'),
    });
    expect(await backend.list('conversation')).toEqual([]);
  });

  it('and hangs up stays, as long as it proves itself and has its ticket', async () => {
    const { conversations, backend } = around('hangs-up');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'CONTAINER_CRASHED',
      detail: expect.stringContaining('lives on'),
    });
    const [left] = await backend.list('conversation');
    await backend.destroy(must(left).id, { stopSeconds: 0 });
  });

  it('and hangs up, and then shows a ticket of its own making, is ended', async () => {
    const { conversations, backend } = around('forges');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'CONTAINER_CRASHED',
    });
    expect(await backend.list('conversation')).toEqual([]);
  });

  it.each([
    ['garbage', 'it is no JSON'],
    ['endless', 'longer than'],
  ])('and answers %s is ended, and the caller told', async (manner, why) => {
    const { conversations, store, backend } = around(manner);
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'CONTAINER_CRASHED',
      detail: expect.stringContaining(why),
    });
    expect(await backend.list('conversation')).toEqual([]);
    expect(await store.count()).toEqual({ reserved: 0, live: 0 });
  });
});
