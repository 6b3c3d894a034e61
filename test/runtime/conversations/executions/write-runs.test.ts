import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gapFrame, ownRun, writeRuns } from '../../../../runtime/conversations/executions/write-runs.ts';
import { agentEvent, agentEvents, EXECUTION, idsIn, NOW } from './written-events.ts';

const ENTRY_BYTES = 128 * 1024;

describe('events written for clients', () => {
  it('are server-sent events with our fields before their own', () => {
    const [run] = writeRuns(EXECUTION, 1, [agentEvent(4, 'é'), agentEvent(5)], NOW);
    const ours = `"timestamp":"2026-01-02T03:04:05.678Z","execution_id":"${EXECUTION}"`;
    expect(run).toMatchObject({ first: 5, last: 6, agentSeq: 5 });
    expect(run?.frames.toString()).toBe(
      `id: 5\nevent: text_delta\ndata: {"seq":5,${ours},"type":"text_delta","text":"é"}\n\n` +
        `id: 6\nevent: text_delta\ndata: {"seq":6,${ours},"type":"text_delta","text":""}\n\n`,
    );
  });

  it('may be the runtime’s own', () => {
    const run = ownRun(EXECUTION, 7, 3, { type: 'error', message: 'é\n\n' }, NOW);
    expect(run).toMatchObject({ first: 7, last: 7, agentSeq: 3 });
    expect(run.frames.toString()).toBe(
      `id: 7\nevent: error\ndata: {"seq":7,"timestamp":"2026-01-02T03:04:05.678Z","execution_id":"${EXECUTION}",` +
        '"type":"error","message":"é\\n\\n"}\n\n',
    );
    expect(idsIn(gapFrame(EXECUTION, 3, 9))).toEqual([9]);
  });

  it('are none where there are none', () => {
    expect(writeRuns(EXECUTION, 1, [])).toEqual([]);
  });

  it('keep nothing of where they came from', () => {
    const event = agentEvent(1, 'abc');
    const [run] = writeRuns(EXECUTION, 0, [event], NOW);
    const before = run?.frames.toString();
    event.fields.fill(0);
    expect(run?.frames.toString()).toBe(before);
    expect(run?.frames.buffer.byteLength).toBe(run?.frames.length);
  });

  it('come in runs without jumps that fit an entry of the log', () => {
    fc.assert(
      fc.property(agentEvents, fc.nat(5), (events, offset) => {
        const runs = writeRuns(EXECUTION, offset, events, NOW);
        for (const { first, last, agentSeq, frames } of runs) {
          expect(idsIn(frames)).toEqual(Array.from({ length: last - first + 1 }, (_, i) => first + i));
          expect(agentSeq).toBe(last - offset);
          expect(frames.length).toBeLessThanOrEqual(ENTRY_BYTES);
        }
        expect(runs.flatMap(({ frames }) => idsIn(frames))).toEqual(events.map(({ seq }) => seq + offset));
      }),
    );
  });

  it('are the same bytes in whatever batches they came', () => {
    fc.assert(
      fc.property(agentEvents, fc.array(fc.nat(20)), (events, places) => {
        const ends = [...places, events.length].sort((a, b) => a - b);
        const batches = ends.map((end, i) => events.slice(ends[i - 1] ?? 0, end));
        const frames = (runs: { frames: Buffer }[]) => Buffer.concat(runs.map((run) => run.frames));
        const together = frames(writeRuns(EXECUTION, 2, events, NOW));
        const apart = frames(batches.flatMap((batch) => writeRuns(EXECUTION, 2, batch, NOW)));
        expect(apart.equals(together)).toBe(true);
      }),
    );
  });
});
