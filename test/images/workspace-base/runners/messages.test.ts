import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../../../images/builder/bundle.ts';
import { findRecipe } from '../../../../images/builder/recipes.ts';
import type { ExecuteRequest } from '../../../../runtime/contracts/agent-protocol.ts';
import { must } from '../../../support/must.ts';
import { execute, nextId, type SeenEvent, unnumbered } from '../agent/execution-stream.ts';
import { isAlive, RunningAgent } from '../agent/running-agent.ts';
import { ScriptedModel, type Turn } from './scripted-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-runner-'));
let agent: RunningAgent;
beforeAll(async () => {
  // As the image has it.
  await bundle({ ...must(findRecipe('workspace-base').program), folder });
  agent = await RunningAgent.start({
    AGENT_COMMAND: `${process.execPath} ${join(folder, 'runners/messages.mjs')}`,
  });
});
afterAll(async () => {
  await agent.stop();
  rmSync(folder, { recursive: true });
});

const text = (...pieces: string[]) => ({ type: 'text' as const, pieces });
const bash = (id: string, command: string) => ({
  type: 'tool_use' as const,
  id,
  name: 'bash',
  input: { command },
});

interface Run {
  events: SeenEvent[];
  requests: ScriptedModel['requests'];
}

/** Runs an execution with a model that does these turns, and no others. */
async function run(turns: Turn[], more: Partial<ExecuteRequest> = {}): Promise<Run> {
  const model = await ScriptedModel.start(...turns);
  const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'a-key', ...more.env };
  const request = { execution_id: nextId(), user_input: 'hello', model: 'a-model', ...more, env };
  const events = await (await execute(agent, request)).end();
  model.stop();
  expect(model.complaints).toEqual([]);
  expect(model.requests.length).toBe(turns.length);
  return { events, requests: model.requests };
}

const answer: Turn = { blocks: [text('hi')], stop: 'end_turn' };

describe('the runner of the Messages API', () => {
  it('tells text as it comes, and the end with what it took', async () => {
    const { events, requests } = await run([{ blocks: [text('Good ', 'morning')], stop: 'end_turn' }], {
      system_prompt: 'be kind',
      session_id: 's',
    });
    expect(unnumbered(events)).toEqual([
      { type: 'text_delta', text: 'Good ' },
      { type: 'text_delta', text: 'morning' },
      {
        type: 'done',
        subtype: 'success',
        result: 'Good morning',
        session_id: 's',
        num_turns: 1,
        duration_ms: expect.any(Number),
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    ]);
    expect(requests[0]).toMatchObject({
      model: 'a-model',
      system: 'be kind',
      messages: [{ role: 'user', content: 'hello' }],
      tools: [{ name: 'bash', input_schema: { type: 'object', required: ['command'] } }],
    });
  });

  it('runs the commands of the model in the workspace and hands back what they say', async () => {
    const thought = { type: 'thinking' as const, pieces: ['let ', 'me see'], signature: 'signed' };
    const use = [bash('t1', 'echo here >file; pwd'), bash('t2', 'echo no >&2; exit 3')];
    const { events, requests } = await run([
      { blocks: [thought, text('looking'), ...use], stop: 'tool_use' },
      { blocks: [text('seen')], stop: 'end_turn' },
    ]);
    expect(unnumbered(events)).toEqual([
      { type: 'thinking', text: 'let ' },
      { type: 'thinking', text: 'me see' },
      { type: 'text_delta', text: 'looking' },
      { type: 'tool_use', id: 't1', name: 'bash', input: use[0]?.input },
      { type: 'tool_result', id: 't1', content: `${agent.root}\n`, is_error: false },
      { type: 'tool_use', id: 't2', name: 'bash', input: use[1]?.input },
      { type: 'tool_result', id: 't2', content: 'no\n\n[exit code 3]', is_error: true },
      { type: 'text_delta', text: 'seen' },
      expect.objectContaining({
        subtype: 'success',
        result: 'seen',
        num_turns: 2,
        usage: { input_tokens: 20, output_tokens: 10 },
      }),
    ]);
    expect(readFileSync(join(agent.root, 'file'), 'utf8')).toBe('here\n');
    expect(requests[1].messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'let me see', signature: 'signed' },
          { type: 'text', text: 'looking' },
          ...use,
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: `${agent.root}\n`, is_error: false },
          { type: 'tool_result', tool_use_id: 't2', content: 'no\n\n[exit code 3]', is_error: true },
        ],
      },
    ]);
  });

  it('stops after max_turns', async () => {
    const again: Turn = { blocks: [bash('t', 'true')], stop: 'tool_use' };
    const { events } = await run([again, again], { max_turns: 2 });
    expect(events.at(-1)).toMatchObject({ type: 'done', subtype: 'error_max_turns', num_turns: 2 });
  });

  it('offers the model only tools that are allowed, and runs no other', async () => {
    const { events, requests } = await run(
      [{ blocks: [bash('t', 'touch forbidden')], stop: 'tool_use' }, answer],
      { allowed_tools: ['read'] },
    );
    expect(requests[0].tools).toBe(undefined);
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', id: 't', is_error: true }));
    expect(existsSync(join(agent.root, 'forbidden'))).toBe(false);
    expect((await run([answer], { allowed_tools: ['bash'] })).requests[0].tools.length).toBe(1);
  });

  it('cuts the middle out of long output', async () => {
    const command = 'echo begin; head -c 1000000 /dev/zero | tr "\\0" x; echo end';
    const { requests } = await run([{ blocks: [bash('t', command)], stop: 'tool_use' }, answer]);
    const { content } = requests[1].messages[2].content[0];
    expect(content).toMatch(/^begin\nx+\n… 970010 characters left out …\nx+end\n$/);
    expect(content.length).toBeLessThan(31_000);
  });

  it.each([
    [
      'refuses the request for its length',
      { status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' },
    ],
    ['finds the body too large', { status: 413, message: 'request exceeds the maximum size' }],
    ['runs out of room', { blocks: [text('and')], stop: 'model_context_window_exceeded' }],
  ] satisfies [string, Turn][])('tells that the context is full when the model %s', async (_how, turn) => {
    const { events } = await run([turn]);
    expect(events.at(-1)).toMatchObject({ type: 'error', error_type: 'context_limit_exceeded' });
  });

  it('asks again when the model is busy, and tells when it stays so', async () => {
    const busy: Turn = { status: 529, message: 'Overloaded', retryAfter: '0' };
    expect((await run([busy, busy, answer])).events.at(-1)).toMatchObject({ subtype: 'success' });
    const { events } = await run([busy, busy, busy]);
    expect(unnumbered(events)).toEqual([
      {
        type: 'error',
        error_type: 'execution_error',
        message: 'the model is busy: Overloaded',
        recoverable: true,
      },
    ]);
  });

  it('tells what else the model refuses, an answer that breaks off, and one that is cut', async () => {
    const { events: refused } = await run([{ status: 401, message: 'bad key' }]);
    expect(refused.at(-1)).toMatchObject({
      error_type: 'execution_error',
      message: 'the model refused the request: bad key',
    });
    const { events: broken } = await run([{ blocks: [text('half')], stop: '', cutOff: true }]);
    expect(broken.at(-1)).toMatchObject({ error_type: 'execution_error', recoverable: true });
    const { events: cut } = await run([{ blocks: [text('half')], stop: 'max_tokens' }]);
    expect(cut.at(-1)).toMatchObject({ type: 'done', subtype: 'error_max_tokens', result: 'half' });
  });

  it('tells when there is no model to ask, or none at the address', async () => {
    const gone = await ScriptedModel.start();
    gone.stop();
    const ask = async (env: Record<string, string>): Promise<SeenEvent[]> => {
      const request = { execution_id: nextId(), user_input: 'hello' };
      return (await execute(agent, { ...request, env: { ANTHROPIC_BASE_URL: gone.url, ...env } })).end();
    };
    const [nameless] = await ask({});
    expect(nameless).toMatchObject({ message: expect.stringContaining('ANTHROPIC_MODEL') });
    const [unreachable] = await ask({ ANTHROPIC_MODEL: 'a-model' });
    expect(unreachable).toMatchObject({
      message: expect.stringContaining("can't be reached"),
      recoverable: true,
    });
  });

  it('is cancelled with the command that it runs', async () => {
    const turn: Turn = { blocks: [bash('t', 'echo $$ >pid; exec sleep 60')], stop: 'tool_use' };
    const model = await ScriptedModel.start(turn);
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'a-key' };
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: 'wait', model: 'a-model', env });
    const pid = () =>
      Number(existsSync(join(agent.root, 'pid')) && readFileSync(join(agent.root, 'pid'), 'utf8'));
    await expect.poll(pid, { timeout: 5_000 }).toBeGreaterThan(0);
    await agent.call('POST', `/executions/${id}/cancel`);
    expect((await stream.end()).at(-1)).toMatchObject({ type: 'error', error_type: 'cancelled' });
    expect(isAlive(pid())).toBe(false);
    model.stop();
    expect(model.complaints).toEqual([]);
  });
});
