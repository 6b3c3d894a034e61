import { ReplyError } from 'ioredis';

/** Whether the server itself said so, as against a connection that failed. */
export function isReplyError(error: unknown, saying = /^/): error is Error {
  return error instanceof Error && error instanceof ReplyError && saying.test(error.message);
}
