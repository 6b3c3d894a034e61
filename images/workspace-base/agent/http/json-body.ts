import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';
import { bodyChunks } from './request-body.ts';

/** Reads a whole JSON body of at most `limit` bytes. */
export async function readJson(req: IncomingMessage, limit: number): Promise<unknown> {
  const tooLarge = () => new Problem('BODY_TOO_LARGE', `the body must have at most ${limit} bytes`);
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge();

  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(req)) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }

  const body = Buffer.concat(chunks);
  if (!isUtf8(body)) throw new Problem('INVALID_REQUEST', 'the body is not UTF-8');
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Problem('INVALID_REQUEST', 'the body is not JSON');
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
