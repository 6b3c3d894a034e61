import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { engineSocket, USUAL_SOCKET } from '../../infra/docker/engine-socket.ts';

describe("the socket of the runtime's engine", () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-socket-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the one that DOCKER_HOST names, with the group that may use it', () => {
    const path = join(folder, 'docker.sock');
    writeFileSync(path, '');
    expect(engineSocket(`unix://${path}`, 'linux')).toEqual({ path, group: String(statSync(path).gid) });
  });

  it.each([
    ['none is named', undefined, 'linux'],
    ['the engine is on another machine', 'tcp://127.0.0.1:2375', 'linux'],
    ['the engine is in a virtual machine', 'unix:///Users/me/.docker/run/docker.sock', 'darwin'],
  ])('is at its usual place where %s', (_, host, platform) => {
    expect(engineSocket(host ?? '', platform).path).toBe(USUAL_SOCKET);
  });

  it("is root's in a virtual machine, whoever may use the one outside", () => {
    const path = join(folder, 'own.sock');
    writeFileSync(path, '');
    expect(engineSocket(`unix://${path}`, 'darwin')).toEqual({ path: USUAL_SOCKET, group: '0' });
  });

  it("is root's where it can't be seen", () => {
    expect(engineSocket('unix:///nowhere/docker.sock', 'linux').group).toBe('0');
  });
});
