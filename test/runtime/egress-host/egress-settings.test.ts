import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConversationEgressSettings } from '../../../runtime/egress-host/egress-settings.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import { DirectoryObjectStore } from '../../../runtime/objects/directory/directory-object-store.ts';
import { egressSettingsKey } from '../../../runtime/saving/saved-keys.ts';
import type { EgressSettingsStore } from '../../../runtime/state/egress-settings-store.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { conversation, tenant } from '../../contract/state/names.ts';

const CANARY = 'canary-4f1d';
const owner = { tenant: tenant('acme'), conversation: conversation('c1') };
const tickets = {
  real_base_url: 'https://mcp.example.com/v1',
  headers: { Authorization: `Bearer ${CANARY}` },
};

describe("a conversation's own egress settings", () => {
  let folder: string;
  let objects: DirectoryObjectStore;
  const secret = new InstallationSecret(randomBytes(32));
  const open = (copies: EgressSettingsStore = openMemoryState().egressSettings) =>
    new ConversationEgressSettings({ copies, objects, secret });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-egress-'));
    objects = await DirectoryObjectStore.open(folder);
  });

  afterAll(async () => {
    await objects.close();
    rmSync(folder, { recursive: true });
  });

  it('are none until they are set', async () => {
    expect(await open().of({ ...owner, conversation: conversation('none') })).toBeUndefined();
  });

  it('keep what a change does not name, and are there for an instance that never saw them', async () => {
    const first = open();
    await first.change(owner, { allowedDomains: ['pypi.org'] });
    await first.change(owner, { mcpServers: { tickets } });

    expect(await open().of(owner)).toEqual({ allowedDomains: ['pypi.org'], mcpServers: { tickets } });
  });

  it('reach other instances at once, by the copy they share', async () => {
    const copies = openMemoryState().egressSettings;
    const [one, other] = [open(copies), open(copies)];
    await other.of(owner);
    await one.change(owner, { allowedDomains: ['changed.example'] });
    expect(await other.of(owner)).toMatchObject({ allowedDomains: ['changed.example'] });
  });

  it('lose nothing when two change them at once', async () => {
    const two = { ...owner, conversation: conversation('two') };
    await Promise.all([
      open().change(two, { allowedDomains: ['pypi.org'] }),
      open().change(two, { mcpServers: { tickets } }),
    ]);
    expect(await open().of(two)).toEqual({ allowedDomains: ['pypi.org'], mcpServers: { tickets } });
  });

  it('never go back to an older change whose copy comes late', async () => {
    const late = { ...owner, conversation: conversation('late') };
    const { egressSettings: copies } = openMemoryState();
    const held = Promise.withResolvers<void>();
    let puts = 0;
    const slow = open({
      get: (of) => copies.get(of),
      fill: (of, sealed) => copies.fill(of, sealed),
      async put(of, sealed) {
        puts += 1;
        if (puts === 2) await held.promise; // its own copy, after its object
        await copies.put(of, sealed);
      },
    });
    const first = slow.change(late, { allowedDomains: ['wide.example'] });
    await vi.waitFor(() => expect(puts).toBe(2));
    await open(copies).change(late, { allowedDomains: [] });
    held.resolve();
    await first;
    expect(await open(copies).of(late)).toMatchObject({ allowedDomains: [] });
  });

  it('are nowhere in the clear', async () => {
    const copies = openMemoryState().egressSettings;
    await open(copies).change(owner, { mcpServers: { tickets } });
    expect(await copies.get(owner)).not.toContain(CANARY);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files)
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toContain(CANARY);
  });

  it("are not believed when they are another conversation's, or another installation's", async () => {
    const copies = openMemoryState().egressSettings;
    await open(copies).change(owner, { mcpServers: { tickets } });
    const stolen = (await copies.get(owner)) ?? '';
    const thief = { ...owner, tenant: tenant('mallory') };
    await copies.put(thief, stolen);
    await expect(open(copies).of(thief)).rejects.toMatchObject({ code: 'INTERNAL' });

    const other = new ConversationEgressSettings({
      copies,
      objects,
      secret: new InstallationSecret(randomBytes(32)),
    });
    await expect(other.of(owner)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('are gone once they are purged', async () => {
    const copies = openMemoryState().egressSettings;
    const settings = open(copies);
    await settings.change(owner, { allowedDomains: ['pypi.org'] });
    await objects.delete([egressSettingsKey(owner)]);
    await settings.forget(owner);
    expect(await settings.of(owner)).toBeUndefined();
    expect(await settings.change(owner, { mcpServers: {} })).toEqual({ mcpServers: {} });
  });
});
