import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import { EgressHost } from '../../../runtime/egress-host/egress-host.ts';
import { EgressRules } from '../../../runtime/egress-host/egress-rules.ts';
import { ConversationEgressSettings } from '../../../runtime/egress-host/egress-settings.ts';
import { EgressTotals } from '../../../runtime/egress-host/egress-totals.ts';
import { ProxyChild } from '../../../runtime/egress-host/proxy-child.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import { DirectoryObjectStore } from '../../../runtime/objects/directory/directory-object-store.ts';
import type { SettingsOwner } from '../../../runtime/state/egress-settings-store.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { container, conversation, tenant } from '../../contract/state/names.ts';
import { Upstream } from '../../support/upstream.ts';

const PROGRAM = new URL('../../../runtime/egress/host-main.ts', import.meta.url);
const log = pino({ level: 'silent' });
const narrow = { tenant: tenant('acme'), conversation: conversation('narrow') };
const id = container(1);

/** Two instances on one machine: each has a proxy of its own, and both look after the same containers. */
describe('egress by proxies on one machine', () => {
  let folder: string;
  let objects: DirectoryObjectStore;
  let upstream: Upstream;
  let settings: ConversationEgressSettings;
  let owner: SettingsOwner | undefined;
  let children: ProxyChild[];
  const reported = vi.fn();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-host-'));
    mkdirSync(join(folder, id));
    objects = await DirectoryObjectStore.open(join(folder, 'objects'));
    upstream = await Upstream.start();
    const secret = new InstallationSecret(randomBytes(32));
    settings = new ConversationEgressSettings({ copies: openMemoryState().egressSettings, objects, secret });
    await settings.change(narrow, { allowedDomains: [] });
    owner = undefined;
    children = [];
    reported.mockReset();
  });

  afterEach(async () => {
    await Promise.all(children.map((child) => child.close()));
    await upstream[Symbol.asyncDispose]();
    await objects.close();
    rmSync(folder, { recursive: true });
  });

  function instance(): EgressHost {
    const child = new ProxyChild({
      program: PROGRAM,
      env: process.env,
      log,
      onRestarted: () => void host.restarted(),
    });
    children.push(child);
    const wide = [`internal:${upstream.authority}`];
    const host: EgressHost = new EgressHost({
      backend: { endpoint: async (of) => ({ kind: 'socket', path: socketOf(of) }) },
      child,
      rules: new EgressRules({ allowedDomains: wide, ceiling: wide, anthropic: null }, settings, () => null),
      totals: new EgressTotals(),
      service: undefined,
      ownerOf: async () => owner,
      log,
      onRestarted: reported,
    });
    return host;
  }

  const socketOf = (of: ContainerId) => join(folder, of, 'proxy.sock');
  const status = async (): Promise<string> => {
    const connection = connect(socketOf(id));
    const { authority } = upstream;
    connection.write(`GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`);
    return (await text(connection)).slice(9, 12);
  };
  /** The second instance claims what the first had made for nobody. */
  async function claimed() {
    const [first, second] = [instance(), instance()];
    await first.open(id, undefined);
    expect(await status()).toBe('200');
    owner = narrow;
    await second.open(id, narrow);
    expect(await status()).toBe('403');
    return { first, second };
  }

  it('a refresh never takes a container back, least of all with rules of before', async () => {
    const { first, second } = await claimed();
    await first.refresh();
    expect(await status()).toBe('403');
    await first.look();
    await second.look();
    expect(await second.answers(id)).toBe(true);
    expect(await status()).toBe('403');
  });

  it('nor does a proxy that was killed and is started again', async () => {
    await claimed();
    process.kill(children[0]?.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(children[0]?.pid).toBeDefined());
    await vi.waitFor(
      async () => expect((await children[0]?.ask({ kind: 'look' }))?.containers).toEqual({}),
      10_000,
    );
    expect(await status()).toBe('403');
    expect(reported).not.toHaveBeenCalled();
  });

  it('a claim changes nothing where the conversation has no rules of its own, and else opens it anew', async () => {
    const [first, second] = [instance(), instance()];
    await first.open(id, undefined);
    const before = statSync(socketOf(id)).ino;
    await second.claim(id, { ...narrow, conversation: conversation('plain') });
    expect(statSync(socketOf(id)).ino).toBe(before);
    expect(await status()).toBe('200');
    await second.claim(id, narrow);
    expect(await status()).toBe('403');
  });

  it('a claim of one that nobody listens for opens it', async () => {
    await instance().claim(id, { ...narrow, conversation: conversation('plain') });
    expect(await status()).toBe('200');
  });

  it('who gives a container its way out back does so with the rules of whoever has it by now', async () => {
    const host = instance();
    owner = narrow;
    await host.reopen(id);
    expect(await status()).toBe('403');
  });

  it('rules that change while they are put are put again', async () => {
    const host = instance();
    const opening = host.open(id, { ...narrow, conversation: conversation('changing') });
    await settings.change({ ...narrow, conversation: conversation('changing') }, { allowedDomains: [] });
    await opening;
    expect(await status()).toBe('403');
  });

  it('an open that fails leaves nothing to be opened again', async () => {
    const host = instance();
    await expect(host.open(container(2), undefined)).rejects.toMatchObject({ code: 'EGRESS_UNAVAILABLE' });
    await host.restarted();
    expect(reported).not.toHaveBeenCalled();
  });

  it('one that hangs is replaced', async () => {
    const host = instance();
    await host.open(id, undefined);
    process.kill(children[0]?.pid ?? 0, 'SIGSTOP');
    await expect(host.look()).rejects.toMatchObject({ code: 'EGRESS_UNAVAILABLE' });
    await vi.waitFor(() => expect(reported).toHaveBeenCalledWith(id, true), 10_000);
    expect(await status()).toBe('200');
  });
});
