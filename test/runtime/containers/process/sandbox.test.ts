import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessBackend } from '../../../../runtime/containers/process/process-backend.ts';
import { readProcessTable } from '../../../../runtime/containers/process/process-table.ts';
import { SocketFolder } from '../../../../runtime/containers/socket-folder.ts';
import { TestAgent } from '../../../contract/container-backend/agent-calls.ts';
import { AGENT_ENTRY } from '../../../contract/container-backend/process-backends.ts';
import { containerSpec } from '../../../contract/container-backend/specs.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { bubblewrap, describeWith } from '../../../support/services/provided.ts';
import { expectUnchangeable, listenAsProxy } from '../proxy-mount.ts';
import { startRuntime } from './runtime-process.ts';

const ORDINARY_USER = 12345;

describeWith('bubblewrap', 'user code under bwrap', () => {
  describe.each(process.getuid?.() === 0 ? ['root', 'an ordinary user'] : ['an ordinary user'])(
    'of a runtime that is %s',
    (user) => sandboxTests(user === 'root' || process.getuid?.() !== 0 ? undefined : ORDINARY_USER),
  );
});

function sandboxTests(uid: number | undefined): void {
  const spec = containerSpec('workspace-base');
  let folder: TestFolder;
  let data: string;
  let agent: TestAgent;
  let stop = async () => {};

  beforeAll(async () => {
    folder = new TestFolder();
    data = join(folder.path, 'data');
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(data, 'secret'), 'the installation secret', { mode: 0o600 });
    const program = programFor(folder, uid);
    for (const path of uid === undefined ? [] : [folder.path, data, join(data, 'secret')])
      chownSync(path, uid ?? 0, uid ?? 0);
    const options = {
      installation: 'sandbox-tests',
      version: '1.2.3',
      dataDir: data,
      socketBasePath: join(folder.path, 's'),
      bwrapPath: bubblewrap().path,
      ...program,
    };
    const runtime = await startRuntime({ options, spec, ...(uid === undefined ? {} : { uid }) });
    agent = new TestAgent(
      () => new ProcessBackend(options).endpoint(spec.id, 'agent'),
      spec.env.AGENT_TOKEN ?? '',
    );
    stop = async () => {
      const ended = once(runtime, 'exit');
      runtime.send('stop');
      await ended;
    };
  });

  afterAll(async () => {
    await stop();
    expect(readdirSync(join(data, 'containers'))).toEqual([]);
    folder.remove();
  });

  it('has no rights, whoever it is', async () => {
    expect(Number(await agent.bash('id -u'))).toBeGreaterThan(0);
    expect(await agent.bash('id -un')).toBe('agent');
    const sets = await agent.bash("grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status | cut -f2 | sort -u");
    expect(sets).toBe('0000000000000000');
    expect(await agent.bash('grep NoNewPrivs /proc/self/status | cut -f2')).toBe('1');
  });

  it("sees nothing of the machine's files but programs, and can write to its own places only", async () => {
    expect(
      await agent.bash(`ls ${data} ${process.cwd()} /root /home/* /run /var/run 2>/dev/null || true`),
    ).not.toMatch(/secret|package.json|docker/);
    expect(existsSync(data)).toBe(true);
    const found = await agent.bash(
      'find / \\( -path /proc -o -path /usr \\) -prune -o -writable -type d -print 2>/dev/null; true',
    );
    const writable = found.split('\n').filter((path) => !/^\/(tmp|dev)(\/|$)/.test(path));
    expect(writable.sort()).toEqual(['/home/agent', '/workspace']);
    expect((await agent.exec('touch', '/usr/bin/probe')).stderr).toContain('Read-only file system');
  });

  it('sees no process but its own', async () => {
    const pids = await agent.bash("ls /proc | grep -E '^[0-9]+$'");
    expect(pids.split('\n').length).toBeLessThan(10);
    expect(await agent.bash('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).not.toContain('vitest');
  });

  it('has no network but its own loopback', async () => {
    expect(await agent.bash("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toBe('lo');
    await using server = createServer((socket) => socket.end('reached'));
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const hosts = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const addresses = hosts.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
    for (const address of addresses) {
      const reached = await agent.exec('bash', '-c', `timeout 2 cat < /dev/tcp/${address}/${port}`);
      expect(reached.exit_code).not.toBe(0);
      expect(reached.stdout).toBe('');
    }
  });

  it('keeps its token out of sight of other users', async () => {
    const { stdout } = await agent.exec('bash', '-c', 'echo $AGENT_TOKEN');
    expect(stdout.trim()).toBe('');
    const table = await readProcessTable();
    const lines = await Promise.all(
      [...table.keys()].map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    const ofBwrap = lines.filter((line) => line.startsWith(bubblewrap().path) && line.includes(spec.id));
    expect(ofBwrap.length).toBeGreaterThan(0);
    expect(ofBwrap.some((line) => line.includes(spec.env.AGENT_TOKEN ?? 'none'))).toBe(false);
  });

  it("can use its proxy's socket, directly and by the agent's port, and not change it", async () => {
    const sockets = new SocketFolder(join(folder.path, 's'), spec.id);
    const proxy = await listenAsProxy(sockets, uid);
    try {
      await expectUnchangeable(agent, sockets);
      expect(await agent.bash('echo $HTTPS_PROXY')).toBe('http://127.0.0.1:8080');
    } finally {
      proxy.close();
    }
  });

  it('can work: scripts, git, Node and Python', async () => {
    expect(await agent.bash('printf "#!/bin/sh\\necho ran\\n" > s && chmod +x s && ./s')).toBe('ran');
    expect(await agent.bash('git init -q repo && ls -d repo/.git')).toBe('repo/.git');
    expect(await agent.bash('node -p 6*7 && python3 -c "print(6*7)"')).toBe('42\n42');
  });
}

/** Where another user can read it, wherever this repository is. */
function programFor(folder: TestFolder, uid: number | undefined): { agentEntry: string; nodePath: string } {
  if (uid === undefined) return { agentEntry: AGENT_ENTRY, nodePath: process.execPath };
  const [agentFolder, nodePath] = [join(folder.path, 'agent'), join(folder.path, 'node')];
  cpSync(dirname(AGENT_ENTRY), agentFolder, { recursive: true });
  try {
    linkSync(process.execPath, nodePath);
  } catch {
    copyFileSync(process.execPath, nodePath); // on another file system
  }
  return { agentEntry: join(agentFolder, 'main.ts'), nodePath };
}
