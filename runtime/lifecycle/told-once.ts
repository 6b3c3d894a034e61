import type { Logger } from 'pino';
import { isBerthError } from '../contracts/errors.ts';

/** When what lasts is told again: an alarm that wants it to last counts lines. */
export interface Again {
  ms: number;
  now?: () => number;
}

/**
 * A turn of a loop. What is away is told when it goes and, where that is said, again and again, not at every turn; any
 * other failure is the loop's to tell.
 */
export function toldOnce<Answer>(
  log: Logger,
  told: string,
  turn: () => Promise<Answer>,
  { ms, now = () => performance.now() }: Again = { ms: Number.POSITIVE_INFINITY },
): () => Promise<Answer | undefined> {
  let toldAt: number | undefined;
  return async () => {
    try {
      const answer = await turn();
      toldAt = undefined;
      return answer;
    } catch (error) {
      if (!isBerthError(error, 'STORE_UNAVAILABLE', 'BACKEND_UNAVAILABLE')) throw error;
      if (toldAt !== undefined && now() < toldAt + ms) return undefined;
      log.warn({ err: error }, told);
      toldAt = now();
      return undefined;
    }
  };
}
