import fc from 'fast-check';
import type { AgentEvent } from '../../../../runtime/agent-client/execution-events.ts';
import { executionId } from '../../../../runtime/contracts/ids.ts';

export const EXECUTION = executionId('0123456789abcdef01234567');
export const NOW = new Date('2026-01-02T03:04:05.678Z');

/** An event of the agent's as it is handed over. */
export function agentEvent(seq: number, text = ''): AgentEvent {
  const fields = Buffer.from(JSON.stringify({ type: 'text_delta', text }).slice(1));
  return { seq, type: 'text_delta', fields, end: undefined };
}

/** Events with growing numbers, most of which follow each other. */
export const agentEvents = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 5 })),
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.nat(50_000).map((length) => 'é'.repeat(length / 2)),
      ),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((steps) => {
    let seq = 0;
    return steps.map(([step, text]) => {
      seq += step;
      return agentEvent(seq, text);
    });
  });

/** Numbers of the events in these bytes, which must be whole server-sent events. */
export function idsIn(frames: Buffer): number[] {
  const texts = frames.toString().split('\n\n');
  if (texts.pop() !== '') throw new Error('the last event is not whole');
  return texts.map((text) => {
    const [, id, type, data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(text) ?? [];
    const event = JSON.parse(data);
    if (event.seq !== Number(id) || event.type !== type) throw new Error(`no such event: ${text}`);
    return event.seq;
  });
}
