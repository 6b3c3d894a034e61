import type { Logger } from 'pino';
import { isBerthError } from '../contracts/errors.ts';

/** A turn of a loop. What is away is told when it goes, not at every turn; any other failure is the loop's to tell. */
export function toldOnce<Answer>(
  log: Logger,
  told: string,
  turn: () => Promise<Answer>,
): () => Promise<Answer | undefined> {
  let away = false;
  return async () => {
    try {
      const answer = await turn();
      away = false;
      return answer;
    } catch (error) {
      if (!isBerthError(error, 'STORE_UNAVAILABLE', 'BACKEND_UNAVAILABLE')) throw error;
      if (!away) log.warn({ err: error }, told);
      away = true;
      return undefined;
    }
  };
}
