import type { ExecutionId } from '../../contracts/ids.ts';

/** One event of an execution as clients get it. */
export interface EventLine {
  /** Its number within the execution. */
  id: number;
  type: string;
  /** Its JSON, whole. */
  data: string;
}

/** `fields` is the event's own JSON without the opening brace. */
export function eventLine(
  execution: ExecutionId,
  id: number,
  type: string,
  fields: string,
  timestamp: string,
): EventLine {
  return {
    id,
    type,
    data: `{"seq":${id},"timestamp":"${timestamp}","execution_id":"${execution}",${fields}`,
  };
}

/** An event of the runtime's own. */
export function ownEvent(
  execution: ExecutionId,
  id: number,
  event: { type: string } & Record<string, unknown>,
  now = new Date(),
): EventLine {
  return eventLine(execution, id, event.type, JSON.stringify(event).slice(1), now.toISOString());
}

/** In place of events that are no longer kept; numbered as the last of them. */
export function gapLine(execution: ExecutionId, from: number, to: number): EventLine {
  return ownEvent(execution, to, { type: 'gap', from, to });
}

/** As the log keeps it: JSON never holds a line break. */
export function toLogLine({ id, type, data }: EventLine): string {
  return `${id} ${type} ${data}\n`;
}

export function fromLogLines(lines: string): EventLine[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const type = line.indexOf(' ');
      const data = line.indexOf(' ', type + 1);
      return {
        id: Number(line.slice(0, type)),
        type: line.slice(type + 1, data),
        data: line.slice(data + 1),
      };
    });
}
