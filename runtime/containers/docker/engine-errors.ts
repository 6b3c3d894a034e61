import { BerthError } from '../../contracts/errors.ts';

/** The engine heard us and said no. */
export class EngineRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'EngineRefusal';
    this.status = status;
  }
}

export function isRefusal(error: unknown, ...statuses: number[]): error is EngineRefusal {
  return error instanceof EngineRefusal && (statuses.length === 0 || statuses.includes(error.status));
}

/** Statuses of a gateway that can't reach the engine behind it. */
const GATEWAY = [502, 503, 504];

/** The client's error as ours: a refusal with a status, or the engine is not there. */
export function engineError(doing: string, host: string, error: unknown): BerthError | EngineRefusal {
  const { statusCode, json, message } = error as { statusCode?: number; json?: unknown; message?: string };
  const words = wordsOf(json) ?? message ?? String(error);
  if (statusCode !== undefined && !GATEWAY.includes(statusCode)) {
    return new EngineRefusal(statusCode, words, error);
  }
  return unavailable(doing, host, words, error);
}

export function unavailable(doing: string, host: string, why: string, cause?: unknown): BerthError {
  return new BerthError(
    'BACKEND_UNAVAILABLE',
    `${doing}: the engine at ${host} does not answer (${why})`,
    {},
    cause,
  );
}

function wordsOf(json: unknown): string | undefined {
  const words = (json as { message?: unknown } | null | undefined)?.message;
  return typeof words === 'string' ? words.trim() : undefined;
}

/** A refusal that no step of a create expects. */
export function createFailure(error: unknown, image: string): unknown {
  if (!isRefusal(error)) return error;
  if (error.status === 404) {
    return new BerthError(
      'IMAGE_PULL_FAILED',
      `the engine has no image ${image}: build ours with \`npm run images\`, or pull it`,
      {},
      error,
    );
  }
  return new BerthError('CONTAINER_CREATE_FAILED', `the engine said: ${error.message}`, {}, error);
}

/** A refusal of a call on one container. */
export function callFailure(error: unknown, id: string): unknown {
  if (!isRefusal(error)) return error;
  if (error.status === 404)
    return new BerthError('CONTAINER_NOT_FOUND', `there is no container ${id}`, {}, error);
  return new BerthError('BACKEND_UNAVAILABLE', `the engine said of ${id}: ${error.message}`, {}, error);
}
