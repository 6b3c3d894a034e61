import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';
import { ClientGone } from './body-writer.ts';

/** Reads a whole JSON body of at most `limit` bytes. */
export async function readJson(req: IncomingMessage, limit: number): Promise<unknown> {
  const tooLarge = () => new Problem('BODY_TOO_LARGE', `the body must have at most ${limit} bytes`);
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge();

  const body = await gather(req, limit, tooLarge);
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

/** By its events: a body in one piece, as most are, takes half the time of an iterator's. */
function gather(req: IncomingMessage, limit: number, tooLarge: () => Problem): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        req.off('data', take);
        reject(tooLarge());
      } else chunks.push(chunk);
    };
    req.on('data', take);
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
    req.on('close', () => reject(new ClientGone()));
  });
}
