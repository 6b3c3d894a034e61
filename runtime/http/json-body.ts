import type { Request } from 'express';
import type { z } from 'zod';
import { BerthError } from '../contracts/errors.ts';
import { hasBody } from './request-body.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * Reads and checks a JSON body, and says every problem at once. Refuses at the first byte too many,
 * where Express's own parser would read the rest first.
 */
export async function jsonBody(request: Request, schema: z.ZodType): Promise<unknown> {
  if (!hasBody(request)) return checked(schema, {}, 'the body is not valid');
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (request.is('application/json') === false || encoding !== 'identity') {
    throw new BerthError(
      'UNSUPPORTED_MEDIA_TYPE',
      'this route takes application/json without Content-Encoding',
    );
  }
  return checked(schema, parse(await read(request)), 'the body is not valid');
}

export function checked(schema: z.ZodType, value: unknown, detail: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new BerthError('INVALID_REQUEST', detail, { errors });
}

function read(request: Request): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const tooLarge = () => reject(new BerthError('BODY_TOO_LARGE', 'JSON may have 1 MiB'));
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) {
    tooLarge();
    return promise;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= MAX_BYTES) return;
    request.off('data', onData);
    tooLarge();
  };
  request.on('data', onData);
  request.once('end', () => resolve(Buffer.concat(chunks, size)));
  request.once('error', reject);
  return promise;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new BerthError(
      'INVALID_REQUEST',
      'the body is no JSON',
      { errors: [{ path: '', message: 'is no JSON' }] },
      error,
    );
  }
}
