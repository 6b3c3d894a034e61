import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DockerBackend } from '../../../runtime/containers/docker/docker-backend.ts';
import { removeTree } from '../../../runtime/containers/remove-tree.ts';
import { MAX_BASE_BYTES, SocketFolder } from '../../../runtime/containers/socket-folder.ts';
import { containerSpec } from '../../contract/container-backend/specs.ts';
import { TestFolder } from '../../contract/container-backend/test-folder.ts';

const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const never = new AbortController().signal;
const { id } = containerSpec('x');
let folder: TestFolder;
let sockets: SocketFolder;

beforeEach(() => {
  folder = new TestFolder();
  sockets = new SocketFolder(folder.path, id);
});
afterEach(() => folder.remove());

describe("taking the agent's socket", () => {
  const bound = () => join(sockets.agentFolder, 'agent.sock');

  it('waits for it, and moves it', async () => {
    await sockets.prepare(self);
    const taken = sockets.takeAgentSocket(self, 5, never);
    await using _server = createServer().listen(bound());
    await taken;
    expect(await sockets.hasAgent()).toBe(true);
    expect(existsSync(bound())).toBe(false);
  });

  it.each([
    ['a link', () => symlinkSync('/var/run/docker.sock', bound())],
    ['a file', () => writeFileSync(bound(), '')],
    ['a folder', () => mkdirSync(bound())],
  ])('refuses %s in its place', async (_, plant) => {
    await sockets.prepare(self);
    plant();
    await expect(sockets.takeAgentSocket(self, 5, never)).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
    });
    expect(await sockets.hasAgent()).toBe(false);
  });

  it('refuses a socket of another user', async () => {
    await sockets.prepare(self);
    await using _server = createServer().listen(bound());
    const other = { uid: self.uid + 1, gid: self.gid };
    await expect(sockets.takeAgentSocket(other, 5, never)).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
    });
    expect(await sockets.hasAgent()).toBe(false);
  });

  it('gives up in time, or when told', async () => {
    await sockets.prepare(self);
    await expect(sockets.takeAgentSocket(self, 0.01, never)).rejects.toMatchObject({ code: 'START_TIMEOUT' });
    const reason = new Error('told');
    await expect(sockets.takeAgentSocket(self, 5, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('the base of the socket folders', () => {
  it('must be short enough, and the setting is named', () => {
    const open = (length: number) =>
      new DockerBackend({ installation: 'i', version: '1', socketBasePath: `/${'x'.repeat(length - 1)}` });
    open(MAX_BASE_BYTES);
    expect(() => open(MAX_BASE_BYTES + 1)).toThrow('WORKSPACE_SOCKET_BASE_PATH');
    expect(join('/'.padEnd(MAX_BASE_BYTES, 'x'), id, 'agent', 'agent.sock')).toHaveLength(107);
  });

  it('must not be writable by others', async () => {
    chmodSync(folder.path, 0o777);
    await expect(sockets.prepare(self)).rejects.toThrow('WORKSPACE_SOCKET_BASE_PATH');
  });

  it('must not be a link', async () => {
    symlinkSync(folder.path, join(folder.path, 'link'));
    const linked = new SocketFolder(join(folder.path, 'link'), id);
    await expect(linked.prepare(self)).rejects.toThrow('WORKSPACE_SOCKET_BASE_PATH');
  });
});

it('a tree is removed without following its links', async () => {
  const kept = join(folder.path, 'kept');
  mkdirSync(kept);
  writeFileSync(join(kept, 'file'), '');
  const tree = join(folder.path, 'tree');
  mkdirSync(join(tree, 'closed'), { recursive: true });
  symlinkSync(kept, join(tree, 'closed', 'link'));
  chmodSync(join(tree, 'closed'), 0);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  expect(existsSync(join(kept, 'file'))).toBe(true);
});
