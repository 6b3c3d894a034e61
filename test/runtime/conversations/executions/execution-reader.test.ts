import { describe, expect, it } from 'vitest';
import type { EventRun } from '../../../../runtime/conversations/executions/event-run.ts';
import { EventWindow } from '../../../../runtime/conversations/executions/event-window.ts';
import { ExecutionReader } from '../../../../runtime/conversations/executions/execution-reader.ts';
import { writeRuns } from '../../../../runtime/conversations/executions/write-runs.ts';
import { openMemoryState } from '../../../../runtime/state/memory/open-memory-state.ts';
import { StateScenario } from '../../../contract/state/state-scenario.ts';
import { agentEvent, EXECUTION } from './written-events.ts';

/** Two runs, 1 to 4 and 8 to 10. */
const RUNS = writeRuns(
  EXECUTION,
  0,
  [1, 2, 3, 4, 8, 9, 10].map((seq) => agentEvent(seq)),
);

/** What a reader gets, each event as its type and number, a gap with its bounds. */
async function readOf(frames: AsyncGenerator<Buffer>): Promise<string[]> {
  const text = Buffer.concat(await Array.fromAsync(frames)).toString();
  return (text.match(/(?<=^data: ).*$/gm) ?? []).map((data) => {
    const { type, seq, from, to } = JSON.parse(data);
    return type === 'gap' ? `gap ${from}-${to} at ${seq}` : `${type} ${seq}`;
  });
}

const texts = (...seqs: number[]) => seqs.map((seq) => `text_delta ${seq}`);
const GAP = 'gap 5-7 at 7';

const CASES: [number, string[]][] = [
  [0, [...texts(1, 2, 3, 4), GAP, ...texts(8, 9, 10)]],
  [2, [...texts(3, 4), GAP, ...texts(8, 9, 10)]],
  [4, [GAP, ...texts(8, 9, 10)]],
  [5, ['gap 6-7 at 7', ...texts(8, 9, 10)]],
  [7, texts(8, 9, 10)],
  [9, texts(10)],
  [10, []],
];

describe('who reads an execution', () => {
  it.each(CASES)('that is relayed here gets all after event %i, and is told of gaps', async (after, seen) => {
    const { executions } = openMemoryState();
    const window = new EventWindow();
    window.add(RUNS);
    window.close('ended');
    const reader = new ExecutionReader({ executions, windowOf: async () => window });
    const name = new StateScenario(openMemoryState()).name();
    expect(await readOf(reader.follow(name, after, AbortSignal.timeout(5_000)))).toEqual(seen);
  });

  it.each(CASES)('from its log gets all after event %i, and is told of gaps', async (after, seen) => {
    const { scenario, reader } = logged();
    const name = await scenario.executing();
    await scenario.append(name, [], { agentSeq: 10, entries: RUNS });
    await scenario.finish(name);
    expect(await readOf(reader.follow(name, after, AbortSignal.timeout(5_000)))).toEqual(seen);
  });

  it('carries on in the log where the window is lost, in the middle of a run', async () => {
    const { scenario, state } = logged();
    const name = await scenario.executing();
    await scenario.append(name, [], { agentSeq: 10, entries: RUNS });
    await scenario.finish(name);
    const window = new EventWindow();
    window.add(RUNS.slice(0, 1).map(firstTwo));
    window.close('lost');
    const windows = [window];
    const reader = new ExecutionReader({ executions: state.executions, windowOf: async () => windows.pop() });
    const [, all] = CASES[0] ?? [];
    expect(await readOf(reader.follow(name, 0, AbortSignal.timeout(5_000)))).toEqual(all);
  });
});

function logged() {
  const state = openMemoryState();
  const reader = new ExecutionReader({ executions: state.executions, windowOf: async () => undefined });
  return { state, scenario: new StateScenario(state), reader };
}

function firstTwo(run: EventRun): EventRun {
  const end = run.frames.indexOf('\n\nid: 3\n') + 2;
  return { ...run, last: 2, agentSeq: 2, frames: run.frames.subarray(0, end) };
}
