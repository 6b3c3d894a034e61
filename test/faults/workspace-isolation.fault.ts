import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { describeWith, objectStore, postgres, redis } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

interface Target {
  host: string;
  port: number;
}

describeWith(WORKSPACE_SERVICES, 'a program in a workspace', () => {
  it('reaches no other workspace, no store, no database, not the API and no metadata: only its way out', async () => {
    await using here = await WorkspaceCluster.open();
    const runtime = await here.cluster.start();
    const [mine, other] = await Promise.all(
      ['mine', 'other'].map((word) => WorkspaceCalls.make(runtime, here.name(word))),
    );
    if (mine === undefined || other === undefined) throw new Error('two were made');
    for (const workspace of [mine, other]) await workspace.settles({ observed_status: 'RUNNING' });
    await other.write('secret.txt', 'secret');

    let reached = 0;
    await using listener = createServer((socket) => {
      reached += 1;
      socket.on('error', () => {}); // who only tries whether it is there leaves at once
      socket.end('reached');
    });
    listener.listen(0, '0.0.0.0');
    await once(listener, 'listening');
    const { port } = listener.address() as { port: number }; // of a TCP server it is never a text
    const addresses = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ family }) => family === 'IPv4')
      .map(({ address }) => address);
    expect(addresses.length).toBeGreaterThan(1);
    const services = [redis().url, postgres().url, objectStore().endpoint, runtime.url].map((url) =>
      Number(new URL(url).port),
    );
    const targets: Target[] = [
      ...addresses.map((host) => ({ host, port })),
      ...addresses.flatMap((host) => services.map((each) => ({ host, port: each }))),
    ];
    // All of them are there, for whoever is not in a workspace.
    for (const target of targets.filter(({ host, port: each }) => each === port || host === '127.0.0.1'))
      expect(await attempt(target), `${target.host}:${target.port}`).toBe('connected');
    const before = reached;
    const metadata = ['169.254.169.254', '169.254.170.2', 'fd00:ec2::254'].map((host) => ({
      host,
      port: 80,
    }));

    const inside = async (script: string, ...args: string[]) =>
      JSON.parse(await run(here, mine.id, script, args)) as unknown;
    const met = (await inside(ATTEMPTS, JSON.stringify([...targets, ...metadata]))) as string[];
    expect(met).toHaveLength(targets.length + metadata.length);
    expect(met.filter((word) => word === 'connected')).toEqual([]);
    // The port of a workspace is its own, on an address that every one of them has.
    expect(await inside(ATTEMPTS, JSON.stringify([{ host: '127.0.0.1', port: 8080 }]))).toEqual([
      'connected',
    ]);
    expect(await inside(HOME)).not.toContain('secret.txt');
    expect(await inside(INTERFACES)).toEqual(['lo']);

    const asked = [
      ...targets.map(({ host, port: each }) => `http://${host}:${each}/`),
      ...metadata.slice(0, 2).map(({ host }) => `http://${host}/latest/meta-data/`),
      `http://ws-${other.id}:8080/`,
      `http://localhost:${port}/`,
    ];
    const answers = (await inside(THROUGH_PROXY, JSON.stringify(asked))) as {
      status: number;
      body: string;
    }[];
    // It answers, and lets nobody through.
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 403));
    expect(reached).toBe(before);
  });
});

/** What a script of Node prints that runs in the workspace's container as its user does. */
async function run(here: WorkspaceCluster, id: string, script: string, args: string[]): Promise<string> {
  const exec = await here.engine.getContainer(`ws-${id}`).exec({
    Cmd: ['node', '--input-type=module', '--eval', script, ...args],
    User: '1000:1000',
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({});
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  here.engine.modem.demuxStream(stream, stdout, stderr);
  stream.on('end', () => {
    stdout.end();
    stderr.end();
  });
  const [said, complained] = await Promise.all([text(stdout), text(stderr)]);
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`exit code ${ExitCode}: ${complained}`);
  return said;
}

/** `connected`, or the system's word against it. */
function attempt({ host, port }: Target): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ host, port, timeout: 5_000 });
  const settle = (word: string) => {
    socket.destroy();
    resolve(word);
  };
  socket.on('connect', () => settle('connected'));
  socket.on('timeout', () => settle('timeout'));
  socket.on('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  return promise;
}

const ATTEMPTS = `import { connect } from 'node:net';
const attempt = ({ host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 2000 });
  const settle = (word) => { socket.destroy(); resolve(word); };
  socket.on('connect', () => settle('connected'));
  socket.on('timeout', () => settle('timeout'));
  socket.on('error', (error) => settle(error.code));
});
console.log(JSON.stringify(await Promise.all(JSON.parse(process.argv[1]).map(attempt))));`;

const THROUGH_PROXY = `import { request } from 'node:http';
const proxy = new URL(process.env.HTTP_PROXY);
const ask = (url) => new Promise((resolve, reject) => {
  const call = request({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, (answer) => {
    let body = '';
    answer.on('data', (piece) => { body += piece; });
    answer.on('end', () => resolve({ status: answer.statusCode, body }));
  });
  call.on('error', reject);
  call.end();
});
console.log(JSON.stringify(await Promise.all(JSON.parse(process.argv[1]).map(ask))));`;

const HOME = `import { readdirSync } from 'node:fs';
console.log(JSON.stringify(readdirSync(process.env.HOME)));`;

const INTERFACES = `import { readdirSync } from 'node:fs';
console.log(JSON.stringify(readdirSync('/sys/class/net')));`;
