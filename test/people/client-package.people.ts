import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpRelay } from '../support/http-relay.ts';
import { InstalledClient, machinesNode } from '../support/installed-client.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { bun, deno, describeWith, type ProvidedService } from '../support/services/provided.ts';
import { examplesIn, programOf } from './readme-examples.ts';

const page = readFileSync(new URL('../../runtime/client/README.md', import.meta.url), 'utf8');
const examples = examplesIn(page);
/** Those that want a WebSocket, which the oldest Node that is served has not. */
const overSockets = examplesIn(page, 'js');
const RIGHT = `import { Berth, BerthError, type Api, type ExecutionEvent } from '@berth/client';
export async function right(berth: Berth, event: ExecutionEvent, maybe: string | undefined): Promise<string> {
  const request: Api.ExecuteRequest = { user_input: '1', cwd: maybe };
  for await (const each of berth.conversation('c').execute(request)) if (each.type === 'gap') return String(each.to);
  if (event.type === 'error') return event.error_type satisfies Api.ErrorEvent['error_type'];
  if (event.type === 'unknown') return event.event;
  const code: string = new BerthError('INVALID_ID', 'x').code;
  return event.type === 'tool_use' ? event.name : code;
}
`;
const WRONG = `import { Berth, type ExecutionEvent } from '@berth/client';
declare const berth: Berth;
declare const event: ExecutionEvent;
berth.conversation('c').execute({});
berth.conversation('c').execute({ user_input: 1 });
berth.conversation('c').exec('ls');
new Berth({ url: 'http://x' });
if (event.type === 'done') console.log(event.text);
if (event.type === 'dome') console.log(event);
berth.warmPool.set({ min_size: 1 });
`;

/** Each cut comes right behind an event, and what a platform has not handed on by then is lost: so it takes many. */
const CUT = `import { Berth } from '@berth/client';
const conversation = new Berth({ url: BERTH_URL, key: BERTH_KEY, backoffMs: 1, retries: 100 }).conversation('cut');
const input = 'import time\\nfor n in range(4): print(n, flush=True); time.sleep(0.05)';
const told = { seqs: [], text: '' };
for await (const event of conversation.execute({ user_input: input })) {
  told.seqs.push(event.seq);
  if (event.type === 'text_delta') told.text += event.text;
}
await conversation.files.write('stream', new Blob(['x'.repeat(100000)]).stream());
told.length = (await conversation.files.readText('stream')).length;
const abort = new AbortController();
setTimeout(() => abort.abort(), 200);
told.aborted = await conversation.exec(['sleep', '60'], abort).catch(({ code }) => code);
console.log(JSON.stringify(told));
`;

describe("the client's package", () => {
  let client: InstalledClient;
  beforeAll(() => {
    client = new InstalledClient();
  });
  afterAll(() => client[Symbol.dispose]());

  it("is of the platform's version, and needs nothing", () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const manifest = JSON.parse(client.read('package.json'));
    expect(manifest).toMatchObject({ name: '@berth/client', version, type: 'module', license: 'Apache-2.0' });
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts', 'bin'])
      expect(manifest).not.toHaveProperty(kind);
    expect(client.read('LICENSE')).toContain('Apache License');
    expect(client.read('README.md')).not.toContain('](../');
  });

  it.each([
    {
      resolution: 'nodenext',
      options: ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'],
    },
    {
      resolution: 'bundler',
      options: [
        '--module',
        'esnext',
        '--moduleResolution',
        'bundler',
        '--target',
        'es2022',
        '--lib',
        'es2022,dom',
      ],
    },
  ])(
    'has types that a strict program stands on ($resolution)',
    async ({ options }) => {
      client.write('right.ts', RIGHT);
      const constants = 'declare const BERTH_URL: string;\ndeclare const BERTH_KEY: string;';
      client.write('examples.ts', programOf(examples, constants));
      expect(await client.typeProblems(options, 'right.ts', 'examples.ts')).toBe('');
      client.write('wrong.ts', WRONG);
      const problems = await client.typeProblems(options, 'wrong.ts');
      const lines = [...problems.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
      expect([...new Set(lines)]).toEqual([4, 5, 6, 7, 8, 9, 10]);
    },
    60_000,
  );
});

const RUNTIMES: [ProvidedService[], string, () => string[]][] = [
  [['bubblewrap'], "the machine's own Node", () => [machinesNode()]],
  [['bubblewrap', 'bun'], 'Bun', () => [bun().path, 'run']],
  [['bubblewrap', 'deno'], 'Deno', () => [deno().path, 'run', '--allow-net', '--allow-env']],
];

describe.each(RUNTIMES)('the client', (services, name, command) => {
  describeWith(services, `under ${name}`, () => {
    let client: InstalledClient;
    let runtime: RuntimeProcess;
    beforeAll(async () => {
      client = new InstalledClient();
      runtime = await RuntimeProcess.start({ env: { CONTAINER_MANAGER_TYPE: 'process' } });
    });
    afterAll(async () => {
      client[Symbol.dispose]();
      await runtime[Symbol.asyncDispose]();
    });
    const run = (file: string, program: string, url: string, by = command()) => {
      client.write(file, program);
      return client.run(by, file, { BERTH_URL: url, BERTH_KEY: runtime.developmentKey });
    };
    const constants = `import process from 'node:process';\nconst { BERTH_URL, BERTH_KEY } = process.env;`;

    it('does what its README says', async () => {
      const printed = await run('examples.mjs', programOf(examples, constants), runtime.url);
      const outputs = printed.split('---\n').slice(1);
      expect(outputs.map((text) => text.trim())).toEqual(examples.map(({ output }) => output.trim()));
      expect(examples.length).toBeGreaterThan(5);
      expect(examples[0]?.code.trim().split('\n')).toHaveLength(3);
    });

    it('opens the terminal of its README', async () => {
      const berth = `import { Berth } from '@berth/client';
const berth = new Berth({ url: BERTH_URL, key: BERTH_KEY });`;
      const program = programOf(overSockets, `${constants}\n${berth}`);
      const by = services.length === 1 ? [process.execPath] : command();
      const printed = await run('sockets.mjs', program, runtime.url, by);
      expect(overSockets).toHaveLength(1);
      expect(printed).toMatch(/30 100\s[\s\S]*exit 3/);
    });

    it('reads an execution over a line that breaks at every event, sends streams, and aborts', async () => {
      await using relay = await HttpRelay.open(runtime.url);
      relay.fate = ({ path }) => (/execute$|events$/.test(path) ? { events: 1, end: 'cut' } : 'pass');
      const told = JSON.parse(await run('cut.mjs', `${constants}\n${CUT}`, relay.url));
      expect(told.seqs).toEqual(told.seqs.map((_: number, index: number) => index + 1));
      expect(told).toMatchObject({ text: '0\n1\n2\n3\n', length: 100_000, aborted: 'ABORTED' });
      expect(relay.requests.length).toBeGreaterThan(told.seqs.length);
    });
  });
});
