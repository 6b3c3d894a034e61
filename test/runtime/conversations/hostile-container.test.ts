import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProcessBackend } from '../../../runtime/containers/process/process-backend.ts';
import { parseConversationId, parseTenantId } from '../../../runtime/contracts/ids.ts';
import { conversationParts } from '../../support/conversation-parts.ts';
import { must } from '../../support/must.ts';

const AGENT = fileURLToPath(new URL('../../support/fixtures/hostile-agent.ts', import.meta.url));
const caller = { tenant: must(parseTenantId('acme')), conversation: must(parseConversationId('c1')) };
const never = new AbortController().signal;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The real parts around containers whose agent has been replaced. */
async function around(manner: string) {
  const backend = new ProcessBackend({
    installation: 'hostile',
    version: '0',
    dataDir: folder,
    socketBasePath: join(folder, 's'),
    agentEntry: AGENT,
    nodePath: process.execPath,
  });
  const settings = { version: manner, maxContainers: 1, executionTimeout: 10, gracePeriod: 1 };
  const { conversations, executions, state } = await conversationParts({ backend, folder, settings });
  return { conversations, executions, store: state.conversations, backend };
}

describe('a container whose agent was replaced', () => {
  it('and can not prove itself gets nothing: no ticket, no command, and it is ended', async () => {
    const { conversations, store, backend } = await around('lies');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'HEALTH_CHECK_FAILED',
      detail: expect.stringContaining('does not prove to be the agent'),
    });
    expect(await backend.list('conversation')).toEqual([]);
    expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
  });

  it('and claims to be someone’s already is ended', async () => {
    const { conversations, backend } = await around('claims');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'HEALTH_CHECK_FAILED',
      detail: expect.stringContaining('assigned before it was'),
    });
    expect(await backend.list('conversation')).toEqual([]);
  });

  it('and hangs up stays, as long as it proves itself and has its ticket', async () => {
    const { conversations, backend } = await around('hangs-up');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'CONTAINER_CRASHED',
      detail: expect.stringContaining('lives on'),
    });
    const [left] = await backend.list('conversation');
    await backend.destroy(must(left).id, { stopSeconds: 0 });
  });

  it('and hangs up, and then shows a ticket of its own making, is ended', async () => {
    const { conversations, backend } = await around('forges');
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'CONTAINER_CRASHED',
    });
    expect(await backend.list('conversation')).toEqual([]);
  });

  it.each([
    ['repeats', 'number of an event does not grow'],
    ['nonsense', 'of no known type'],
    ['stops-short', 'ends before the execution'],
    ['goes-on', 'comes after the last'],
    ['refuses', 'no room'],
  ])('and streams %s loses its execution, and is ended', async (manner, why) => {
    const { executions, backend } = await around(manner);
    const order = {
      request: { user_input: '' },
      seconds: 5,
      onDisconnect: 'continue',
      idempotencyKey: undefined,
      mcpServers: undefined,
    } as const;
    const name = await executions.begin(caller, order, never);
    const stream = Buffer.concat(await Array.fromAsync(executions.follow(name, 0, never))).toString();
    const events = stream.match(/(?<=^data: ).*$/gm)?.map((data) => JSON.parse(data)) ?? [];
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['container_recovered', 'error']);
    expect(events.at(-1)).toMatchObject({
      error_type: 'container_lost',
      message: expect.stringContaining(why),
    });
    expect(await executions.get(name)).toMatchObject({ status: 'lost' });
    // The next container is there already, as hostile as the first.
    for (const { id } of await backend.list('conversation')) await backend.destroy(id, { stopSeconds: 0 });
  });

  it.each([
    ['garbage', 'it is no JSON'],
    ['endless', 'longer than'],
  ])('and answers %s is ended, and the caller told', async (manner, why) => {
    const { conversations, store, backend } = await around(manner);
    await expect(conversations.exec(caller, { cmd: ['true'] }, never)).rejects.toMatchObject({
      code: 'CONTAINER_CRASHED',
      detail: expect.stringContaining(why),
    });
    expect(await backend.list('conversation')).toEqual([]);
    expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
  });
});
