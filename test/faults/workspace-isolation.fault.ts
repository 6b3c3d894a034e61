import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ForbiddenTargets, METADATA, TRIES } from '../support/forbidden-targets.ts';
import { describeWith } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

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

    await using forbidden = await ForbiddenTargets.open(runtime);
    const targets = [...forbidden.all, ...METADATA, { host: 'fd00:ec2::254', port: 80 }];

    const inside = async (script: string, ...args: string[]) =>
      JSON.parse(await run(here, mine.id, script, args)) as unknown;
    const met = (await inside(ATTEMPTS, JSON.stringify(targets))) as string[];
    expect(met).toHaveLength(targets.length);
    expect(met.filter((word) => word === 'connected')).toEqual([]);
    // The port of a workspace is its own, on an address that every one of them has.
    expect(await inside(ATTEMPTS, JSON.stringify([{ host: '127.0.0.1', port: 8080 }]))).toEqual([
      'connected',
    ]);
    expect(await inside(HOME)).not.toContain('secret.txt');
    expect(await inside(INTERFACES)).toEqual(['lo']);

    const asked = [
      ...forbidden.all.map(({ host, port }) => `http://${host}:${port}/`),
      ...METADATA.map(({ host }) => `http://${host}/latest/meta-data/`),
      `http://ws-${other.id}:8080/`,
      `http://localhost:${forbidden.port}/`,
    ];
    // It answers, and lets nobody through.
    expect(await inside(THROUGH_PROXY, JSON.stringify(asked))).toEqual(asked.map(() => 403));
    expect(forbidden.reached).toBe(0);
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

const ATTEMPTS = `${TRIES}
console.log(JSON.stringify(await Promise.all(JSON.parse(process.argv[1]).map(directly))));`;

const THROUGH_PROXY = `${TRIES}
console.log(JSON.stringify(await Promise.all(JSON.parse(process.argv[1]).map(proxied))));`;

const HOME = `${TRIES}
console.log(JSON.stringify(readdirSync(process.env.HOME)));`;

const INTERFACES = `${TRIES}
console.log(JSON.stringify(interfaces()));`;
