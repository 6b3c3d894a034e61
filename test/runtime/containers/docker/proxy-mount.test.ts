import { chmodSync } from 'node:fs';
import type { Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SocketFolder } from '../../../../runtime/containers/socket-folder.ts';
import { describeWith } from '../../../support/services/provided.ts';
import { expectUnchangeable, greeting, listenAsProxy, SOCKET_MODE } from '../proxy-mount.ts';
import { useDockerContainer } from './docker-container.ts';

describeWith(['docker', 'workspace-base-image'], "the proxy's socket in a container", () => {
  const container = useDockerContainer();
  let folder: SocketFolder;
  let proxy: Server;

  beforeAll(async () => {
    folder = new SocketFolder(container().base, container().spec.id);
    proxy = await listenAsProxy(folder);
  });

  afterAll(() => {
    proxy.close();
  });

  it('can be used by user code, and changed by nothing it does', async () => {
    expect(await container().agent.bash('id -u')).toBe('1000');
    await expectUnchangeable(container().agent, folder);
  });

  it('can be used only where its mode lets others write', async () => {
    chmodSync(folder.proxySocket, 0o644);
    const [direct, forwarded] = await greeting(container().agent);
    expect(direct).toBe(process.getuid?.() === 1000 ? 'the proxy' : 'PermissionError');
    expect(forwarded).toMatch(process.getuid?.() === 1000 ? 'the proxy' : '502 Bad Gateway');
    chmodSync(folder.proxySocket, SOCKET_MODE);
    expect(await greeting(container().agent)).toEqual(['the proxy', 'the proxy']);
  });
});
