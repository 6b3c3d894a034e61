import { isBerthError } from '../../contracts/errors.ts';
import { asBerthError, problemOf } from '../problem.ts';

/** How the end of a viewer's WebSocket is told. */
export interface Closing {
  code: number;
  reason: string;
}

export const CLOSE_CODES = {
  /** The terminal has ended, and its exit was told. */
  over: 1000,
  /** Attach again: another instance, or this one a little later, has it still. */
  goingAway: 1001,
  /** What the client says, or its key, is not taken. */
  refused: 1008,
  failed: 1011,
  /** It does not read. */
  tooSlow: 1013,
  /** The container is gone, and the terminal with it. */
  gone: 4404,
} as const;

/** A frame of this kind has room for 125 bytes, two of which are the code. */
const MAX_REASON_CHARACTERS = 120;

/** What a viewer is told of an error that ends it. */
export function closingOf(error: unknown): Closing {
  const { detail } = problemOf(asBerthError(error), '');
  const reason = detail.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_REASON_CHARACTERS);
  if (isBerthError(error, 'SHUTTING_DOWN')) return { code: CLOSE_CODES.goingAway, reason: 'going away' };
  if (isBerthError(error, 'CONVERSATION_DRAINING', 'TERMINAL_NOT_FOUND'))
    return { code: CLOSE_CODES.gone, reason };
  // The container lives on: only the line to it broke.
  if (isBerthError(error, 'CONTAINER_CRASHED')) return { code: CLOSE_CODES.goingAway, reason };
  return { code: CLOSE_CODES.failed, reason };
}
