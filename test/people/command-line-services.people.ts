import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandDesk } from '../support/command-desk.ts';
import { describeWith } from '../support/services/provided.ts';

const PATIENCE = { timeout: 60_000 };

describeWith('bubblewrap', 'services on the command line', () => {
  let desk: CommandDesk;
  beforeAll(async () => {
    desk = await CommandDesk.open({ WARM_POOL_MIN_SIZE: '1', WARM_POOL_MAX_SIZE: '2' });
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  it('shows what runs, in colours only on a terminal that wants them', async () => {
    await desk.call(['exec', 'files', 'true']);
    const table = await desk.call(['ps']);
    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).not.toContain('\u001b');
    expect(table.stdout).toMatch(/^KIND +NAME +STATUS +CONTAINER +AGE +LEFT$/m);
    expect(table.stdout).toMatch(
      /^conversation +files +(idle|ready|running) +ws-[0-9a-f]{12} +\d+[smh] +\d+[smh]$/m,
    );
    expect((await desk.atTerminal(['ps'])).shown).toContain('\u001b[32m');
    expect((await desk.atTerminal(['ps'], { NO_COLOR: '1' })).shown).not.toContain('\u001b');
    expect((await desk.atTerminal(['ps'], { TERM: 'dumb' })).shown).not.toContain('\u001b');
    expect((await desk.atTerminal(['--help'])).shown).toContain('\u001b[1mConversations\u001b[0m');
    const { conversations: known, containers } = await desk.json(['ps']);
    const { container_id } = known.find(
      ({ conversation_id }: { conversation_id: string }) => conversation_id === 'files',
    );
    expect(containers).toEqual(expect.arrayContaining([expect.objectContaining({ container_id })]));
    expect((await desk.json(['logs', 'files'])).container_id).toBe(container_id);
    expect((await desk.call(['logs', container_id, '--tail', '5'])).code).toBe(0);
    expect(await desk.call(['logs', 'nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CONTAINER_NOT_FOUND'),
    });

    expect(await desk.json(['pool', '--max', '3'])).toMatchObject({
      warm_pool: { min_size: 1, max_size: 3 },
    });
    expect((await desk.call(['pool'])).stdout).toMatch(/^warm +\d+ +- +\d+ +\d+ +1 +3$/m);
    expect(await desk.call(['rm', 'files', 'never-was'])).toMatchObject({ code: 1, stdout: 'files\n' });
  });

  it('makes, opens, stops, starts and deletes workspaces', async () => {
    expect(
      await desk.call([
        'workspace',
        'create',
        'notes',
        '--name',
        'My notes',
        '--standby-ttl',
        '2h',
        '--wait',
      ]),
    ).toMatchObject({
      code: 0,
      stdout: 'notes\n',
    });
    expect((await desk.call(['workspace', 'ls'])).stdout).toMatch(
      /^notes +My notes +running +\S+ +\S+ +\d+[hm]$/m,
    );
    expect((await desk.call(['ps'])).stdout).toMatch(/^workspace +notes +running /m);
    const { url } = await desk.json(['workspace', 'open', 'notes']);
    expect((await fetch(url, { redirect: 'manual' })).headers.get('set-cookie')).toBeTruthy();
    writeFileSync(desk.at('browser'), `#!/bin/sh\nprintf %s "$1" > '${desk.at('opened')}'\n`);
    chmodSync(desk.at('browser'), 0o755);
    const opened = await desk.atTerminal(
      ['workspace', 'open', 'notes'],
      { BROWSER: desk.at('browser') },
      1000,
    );
    const link = () => (existsSync(desk.at('opened')) ? readFileSync(desk.at('opened'), 'utf8') : '');
    await expect.poll(link, PATIENCE).toBe(opened.shown.trim());
    expect(opened.shown).toContain(`${desk.runtime.url}/w/notes/`);
    expect((await desk.call(['workspace', 'stop', 'notes', '--wait'])).code).toBe(0);
    expect((await desk.json(['workspace', 'ls'])).workspaces).toMatchObject([
      { id: 'notes', observed_status: 'STANDBY' },
    ]);
    expect((await desk.call(['workspace', 'start', 'notes', '--wait'])).code).toBe(0);
    expect((await desk.call(['workspace', 'create', 'notes'])).stderr).toContain('WORKSPACE_EXISTS');
    expect((await desk.call(['workspace', 'rm', 'notes'])).code).toBe(0);
    expect((await desk.call(['workspace', 'start', 'never-was'])).code).toBe(1);
  });

  it('deploys, calls, lists and deletes functions', async () => {
    writeFileSync(
      desk.at('hello.mjs'),
      'export default (request) => ({ hello: request.name, env: process.env.GREETING })',
    );
    const deployed = await desk.call(
      ['function', 'deploy', 'hello', 'hello.mjs', '-e', 'GREETING', '--max', '2'],
      '',
      { GREETING: 'hi' },
    );
    expect(deployed.code, deployed.stderr).toBe(0);
    expect(await desk.call(['function', 'invoke', 'hello', '-d', '{"name": "Ada"}'])).toMatchObject({
      code: 0,
      stdout: '{"hello":"Ada","env":"hi"}',
    });
    writeFileSync(desk.at('request.json'), '{"name": "Bob"}');
    expect((await desk.call(['function', 'invoke', 'hello', '-d', '@request.json'])).stdout).toContain('Bob');
    const { stdout } = await desk.call(['function', 'invoke', 'hello', '--json'], '{"name": "Cyd"}');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 200,
      cold_start: expect.any(Boolean),
      body: expect.stringContaining('Cyd'),
    });
    expect((await desk.call(['function', 'ls'])).stdout).toMatch(
      /^hello +function-node\S* +\d+ +2 +60s +\S+$/m,
    );
    expect((await desk.json(['function', 'ls'])).functions).toMatchObject([
      { name: 'hello', env_names: ['GREETING', 'HANDLER_SOURCE'] },
    ]);
    writeFileSync(desk.at('broken.mjs'), 'export default () => { throw new Error("no") }');
    await desk.call(['function', 'deploy', 'hello', 'broken.mjs']);
    expect(await desk.call(['function', 'invoke', 'hello'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('status 500'),
    });
    expect((await desk.call(['function', 'rm', 'hello'])).code).toBe(0);
    expect((await desk.call(['function', 'invoke', 'hello', '-d', '{}'])).stderr).toContain(
      'FUNCTION_NOT_FOUND',
    );
    expect((await desk.call(['function', 'deploy', 'hello', 'x.rb'])).code).toBe(2);
    expect((await desk.call(['function', 'deploy', 'hello'])).code).toBe(2);
  });
});
