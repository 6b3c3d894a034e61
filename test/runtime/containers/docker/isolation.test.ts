import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { describeWith } from '../../../support/services/provided.ts';
import { useDockerContainer } from './docker-container.ts';

describeWith(['docker', 'workspace-base-image'], 'user code in a container', () => {
  const container = useDockerContainer();
  const bash = (script: string) => container().agent.bash(script);

  it('runs as an ordinary user without capabilities, under our seccomp profile', async () => {
    expect(await bash('id -u; id -g; id -G')).toBe('1000\n1000\n1000');
    const status = await bash("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
    const fields = Object.fromEntries(status.split('\n').map((line) => line.split(/:\s+/)));
    expect(fields).toMatchObject({ NoNewPrivs: '1', Seccomp: '2' });
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
      expect(Number.parseInt(fields[set] ?? '1', 16), set).toBe(0);
    }
  });

  it('can write to its own places only', async () => {
    const places = ['/home/agent', '/home/agent/.cache', '/run', '/tmp', '/var/tmp', '/workspace'];
    const shared = ['/dev/mqueue', '/dev/shm']; // its own as well: the IPC namespace is private
    const found = await bash(
      'find / \\( -path /proc -o -path /sys \\) -prune -o -writable ! -type l -print 2>/dev/null; true',
    );
    const devices = /^\/dev\/(null|zero|full|tty|u?random|ptmx|pts\/ptmx)$/;
    const writable = found.split('\n').filter((path) => !devices.test(path) && !path.startsWith('/tmp/'));
    expect(writable.sort()).toEqual([...places, ...shared].sort());
    for (const place of places) {
      expect(await bash(`echo x > ${place}/.probe && cat ${place}/.probe && rm ${place}/.probe`)).toBe('x');
    }
  });

  it('finds each of its places limited, and sharing nothing with the disk', async () => {
    const sizes = await bash(
      'df --output=target,size,fstype -BM /workspace /tmp /home/agent /home/agent/.cache',
    );
    expect(
      sizes
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/)),
    ).toEqual([
      ['/workspace', '1024M', 'tmpfs'],
      ['/tmp', '512M', 'tmpfs'],
      ['/home/agent', '128M', 'tmpfs'],
      ['/home/agent/.cache', '512M', 'tmpfs'],
    ]);
  });

  it('has no network but its own loopback', async () => {
    expect(await bash("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toBe('lo');
    // No route at all, so none to any address: a metadata service's or anyone else's.
    expect(await bash('tail -n +2 /proc/net/route')).toBe('');
    await using server = createServer((socket) => socket.end('reached'));
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const hosts = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const addresses = hosts.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(await greeting(address, port)).toBe('reached');
    const { stdout } = await container().agent.python(`
import socket
for host in ${JSON.stringify(addresses)}:
    try:
        socket.create_connection((host, ${port}), 2)
        print('reached', host)
    except OSError:
        pass
print('done')`);
    expect(stdout.trim()).toBe('done');
  });

  it('can work: scripts, git, Node, npm, pip and virtual environments', async () => {
    await bash('printf "#!/bin/sh\\necho ran\\n" > script && chmod +x script');
    expect(await bash('./script')).toBe('ran');
    expect(
      await bash(
        'git init -q repo && cd repo && git -c user.name=a -c user.email=a@b commit -qm x --allow-empty && git log --format=%s',
      ),
    ).toBe('x');
    expect(
      await bash(
        'node -e "new Worker(new URL(`data:text/javascript,postMessage(1)`)).onmessage = () => process.exit(7)"; node -p 6*7',
      ),
    ).toContain('42');
    expect(await bash('npm --version && pip --version')).toMatch(/^\d+\.\d+\.\d+\npip \d/);
    expect(
      await bash('python3 -m venv --without-pip v && v/bin/python -c "import sys; print(sys.prefix)"'),
    ).toBe('/workspace/v');
    expect(
      await bash(
        'python3 -c "import threading, subprocess, multiprocessing as m; m.Pool(2).map(abs, [1]); print(1)"',
      ),
    ).toBe('1');
  });
});

/** What the test's own listener says to who does reach it. */
async function greeting(host: string, port: number): Promise<string> {
  return Buffer.concat(await Array.fromAsync(connect(port, host))).toString();
}
