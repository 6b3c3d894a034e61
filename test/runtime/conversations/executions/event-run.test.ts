import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAfter, joinFrames, joinRuns } from '../../../../runtime/conversations/executions/event-run.ts';
import { writeRuns } from '../../../../runtime/conversations/executions/write-runs.ts';
import { agentEvent, agentEvents, EXECUTION, idsIn, NOW } from './written-events.ts';

const ENTRY_BYTES = 128 * 1024;
const bytesOf = (runs: readonly { frames: Buffer }[]) => Buffer.concat(runs.map(({ frames }) => frames));

describe('a run of events', () => {
  it('is cut after any event in it', () => {
    fc.assert(
      fc.property(agentEvents, fc.nat(), (events, place) => {
        for (const run of writeRuns(EXECUTION, 1, events, NOW)) {
          const id = run.first - 1 + (place % (run.last - run.first + 1));
          const rest = cutAfter(run, id);
          expect(rest).toMatchObject({ first: id + 1, last: run.last, agentSeq: run.agentSeq });
          expect(idsIn(rest.frames)).toEqual(idsIn(run.frames).filter((at) => at > id));
          expect(run.frames.subarray(-rest.frames.length).equals(rest.frames)).toBe(true);
        }
      }),
    );
  });

  it('is whole for who has only what came before it', () => {
    const [run] = writeRuns(EXECUTION, 1, [agentEvent(3)], NOW);
    expect(run && cutAfter(run, 0)).toBe(run);
  });

  it('is joined with what follows it, up to what an entry may have', () => {
    fc.assert(
      fc.property(agentEvents, fc.boolean(), (events, alone) => {
        const batches = alone ? events.map((event) => [event]) : [events];
        const runs = batches.flatMap((batch) => writeRuns(EXECUTION, 0, batch, NOW));
        const joined = joinRuns(runs);
        expect(bytesOf(joined).equals(bytesOf(runs))).toBe(true);
        for (const { first, last, frames } of joined) {
          expect(idsIn(frames)).toEqual(Array.from({ length: last - first + 1 }, (_, i) => first + i));
          expect(frames.length).toBeLessThanOrEqual(ENTRY_BYTES);
        }
      }),
    );
  });

  it('becomes one of many short ones', () => {
    const runs = Array.from({ length: 50 }, (_, i) =>
      writeRuns(EXECUTION, 0, [agentEvent(i + 1)], NOW),
    ).flat();
    expect(joinRuns(runs)).toMatchObject([{ first: 1, last: 50 }]);
    expect(joinRuns([])).toEqual([]);
  });

  it('is not copied where it stays alone', () => {
    const [run] = writeRuns(EXECUTION, 0, [agentEvent(1)], NOW);
    const frames = run?.frames ?? Buffer.alloc(0);
    expect(joinFrames([frames])).toBe(frames);
    expect(joinFrames([]).length).toBe(0);
  });
});
