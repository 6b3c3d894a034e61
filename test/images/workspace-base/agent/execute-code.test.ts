import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute, nextId, runToEnd, textOf, unnumbered } from './execution-stream.ts';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());

const run: (script: string, more?: object) => ReturnType<typeof runToEnd> = (script, more) =>
  runToEnd(agent, script, more);

describe('/execute without a runner of its own', () => {
  it('runs the input as Python and tells what it writes and how it ends', async () => {
    const script = 'import os\nos.write(1, b"out\\n")\nos.write(2, b"err\\n")';
    const events = unnumbered(await run(script, { session_id: 's-1' }));
    // Two pipes have no order between them that could be told.
    expect(events.slice(0, -1)).toHaveLength(2);
    expect(events).toContainEqual({ type: 'text_delta', text: 'out\n', stream: 'stdout' });
    expect(events).toContainEqual({ type: 'text_delta', text: 'err\n', stream: 'stderr' });
    expect(events.at(-1)).toEqual({
      type: 'done',
      subtype: 'success',
      exit_code: 0,
      duration_ms: expect.any(Number),
      num_turns: 1,
      session_id: 's-1',
      result: '',
    });
  });

  it('tells output while the script runs', async () => {
    const script =
      'import os, time\nprint("first")\nwhile not os.path.exists("go"): time.sleep(0.01)\nprint("last")';
    const stream = await execute(agent, { execution_id: nextId(), user_input: script });
    await expect.poll(() => textOf(stream.events), { timeout: 10_000 }).toBe('first\n');
    writeFileSync(join(agent.root, 'go'), '');
    expect(textOf(await stream.end())).toBe('first\nlast\n');
  });

  const versions = {
    python: 'import sys; print("python", sys.version_info[0])',
    bash: 'echo bash $BASH_VERSINFO',
    node: 'console.log("node", typeof process.version)',
  };
  it.each([
    ['', 'python', 'python 3\n'],
    ['#!/usr/bin/python3\n', 'python', 'python 3\n'],
    ['#!/usr/bin/env python\n', 'python', 'python 3\n'],
    ['#!/bin/bash\n', 'bash', 'bash 5\n'],
    ['#! /bin/sh -e\n', 'bash', 'bash 5\n'],
    ['#!/usr/bin/env -S X=1 node --flag\n', 'node', 'node string\n'],
    ['#!/usr/bin/env node\n', 'node', 'node string\n'],
  ] as const)('knows the language by the first line %j: %s', async (line, language, output) => {
    expect(textOf(await run(line + versions[language]))).toBe(output);
  });

  it('lets the model name the language, against the first line', async () => {
    expect(textOf(await run(versions.bash, { model: 'code/bash' }))).toBe('bash 5\n');
    expect(textOf(await run(`#!/bin/bash\n${versions.python}`, { model: 'code/python' }))).toBe('python 3\n');
    expect(textOf(await run(versions.python, { model: 'some-model' }))).toBe('python 3\n');
  });

  it.each([
    ['print(1)', 'code/perl'],
    ['print(1)', 'code/'],
    ['print(1)', 'code/__proto__'],
    ['#!/usr/bin/perl\nprint 1', undefined],
    ['#!\nprint(1)', undefined],
    ['#!/usr/bin/env\nprint(1)', undefined],
  ])('refuses a language it does not know: %j %s', async (user_input, model) => {
    const body = { execution_id: nextId(), user_input, model };
    const { status, json } = await agent.call('POST', '/execute', { body });
    expect([status, json.code]).toEqual([400, 'INVALID_REQUEST']);
    expect((await agent.call('GET', `/executions/${body.execution_id}/events`)).status).toBe(404);
  });

  it.each([
    ['python', 'import sys\nsys.exit(3)', 3],
    ['bash', 'exit 4', 4],
    ['node', 'process.exit(5)', 5],
    ['bash', 'kill -KILL $$', null],
  ])('is done with an error when the script fails: %s %s', async (language, script, exit_code) => {
    const events = await run(script, { model: `code/${language}` });
    expect(unnumbered(events)).toMatchObject([{ type: 'done', subtype: 'error', exit_code }]);
  });

  it('shows tracebacks as the language makes them', async () => {
    const python = await run('def f():\n    return 1 / 0\nf()');
    expect(textOf(python, 'stderr')).toMatch(
      /^Traceback .*\n {2}File "<stdin>", line 3, in <module>\n {2}File "<stdin>", line 2, in f\nZeroDivisionError/,
    );
    const bash = await run('#!/bin/bash\n\nno-such-command', {});
    expect(textOf(bash, 'stderr')).toMatch(/line 3: no-such-command: command not found/);
    const node = await run('throw new Error("oh")', { model: 'code/node' });
    expect(textOf(node, 'stderr')).toMatch(/\[stdin\]:1\n.*oh[\s\S]*Error: oh/);
  });

  it.each([
    [
      'python',
      'import sys, subprocess; print(repr(sys.stdin.read()), subprocess.run(["cat"]).returncode)',
      "'' 0\n",
    ],
    ['bash', 'cat; read -r line || echo none; echo after', 'none\nafter\n'],
    ['node', 'console.log(JSON.stringify(require("fs").readFileSync(0, "utf8")))', '""\n'],
  ])('gives %s an empty stdin', async (language, script, output) => {
    expect(textOf(await run(script, { model: `code/${language}` }))).toBe(output);
  });

  it.each([
    ['python', 'import helper; print(helper.NAME)'],
    ['bash', 'source ./helper.sh; echo $NAME'],
    ['node', 'console.log(require("./helper.cjs"))'],
    ['node', 'import name from "./helper.cjs"; console.log(name)'],
  ])('lets %s import from where it runs: %s', async (language, script) => {
    mkdirSync(join(agent.root, 'lib'), { recursive: true });
    writeFileSync(join(agent.root, 'lib/helper.py'), 'NAME = "helper"');
    writeFileSync(join(agent.root, 'lib/helper.sh'), 'NAME=helper');
    writeFileSync(join(agent.root, 'lib/helper.cjs'), 'module.exports = "helper"');
    expect(textOf(await run(script, { model: `code/${language}`, cwd: 'lib' }))).toBe('helper\n');
  });

  it('takes a script far larger than an argument may be, and leaves no file of it', async () => {
    const names = () => readdirSync(join(agent.root, '..'), { recursive: true }).sort();
    const before = names().filter((name) => !name.includes('berth-pipes-'));
    const script = `x = "${'y'.repeat(3_000_000)}"\nprint(len(x))`;
    expect(textOf(await run(script))).toBe('3000000\n');
    expect(names().filter((name) => !name.includes('berth-pipes-'))).toEqual(before);
  });

  it('runs in the workspace, with the environments of the image, the assignment and the request', async () => {
    await agent.call('POST', '/assign', {
      body: { ticket: 'ticket', env: { A: 'assigned', B: 'assigned' } },
    });
    const script = '#!/bin/bash\necho $PWD $HOME $A $B; env | grep -E "^(AGENT|BERTH)_"';
    const events = await run(script, { env: { B: 'requested' } });
    expect(textOf(events)).toBe(`${agent.root} /nonexistent assigned requested\n`);
  });

  it('keeps characters whole across pieces, and replaces what is no UTF-8', async () => {
    const script =
      '#!/bin/bash\nyes "€" | head -c 400000; head -c 100000 /dev/zero | tr "\\0" "\\377" >&2; printf "\\342\\202"';
    const events = await run(script);
    expect(textOf(events, 'stdout')).toBe(`${'€\n'.repeat(100_000)}\ufffd`);
    expect(textOf(events, 'stderr')).toBe('\ufffd'.repeat(100_000));
    const bytes = events.flatMap((event) =>
      event.type === 'text_delta' && event.bytes !== undefined ? [Buffer.from(event.bytes, 'base64')] : [],
    );
    const said = Buffer.concat([Buffer.alloc(100_000, 0xff), Buffer.from([0xe2, 0x82])]);
    expect(Buffer.concat(bytes).equals(said)).toBe(true);
  });

  it('keeps every event below what the runtime passes on whole, also of bytes that JSON escapes', async () => {
    const events = await run('#!/bin/bash\nhead -c 300000 /dev/zero');
    expect(textOf(events)).toBe('\0'.repeat(300_000));
    const sizes = events.map((event) => Buffer.byteLength(JSON.stringify(event)));
    expect(Math.max(...sizes)).toBeLessThan(60 * 1024);
  });
});
