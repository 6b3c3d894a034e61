import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { AgentMisbehaved, AgentUnreachable } from './agent-failures.ts';

/** Reads all of an answer, as long as it stays within its bound. */
export async function readBounded(source: Readable, maxBytes: number, signal?: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of agentBytes(source, signal)) {
    size += chunk.length;
    if (size > maxBytes) {
      source.destroy();
      throw new AgentMisbehaved(`it is longer than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

export function parseJson<Schema extends z.ZodType>(text: string, schema: Schema): z.infer<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new AgentMisbehaved('it is no JSON', error);
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success)
    throw new AgentMisbehaved(parsed.error.issues[0]?.message ?? 'it has another shape', parsed.error);
  return parsed.data;
}

/** Bytes of an answer; a connection that breaks off is told as `AgentUnreachable`. */
export async function* agentBytes(source: Readable, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) yield chunk;
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw new AgentUnreachable(true, error);
  }
}

/** The `data:` of each server-sent event, none longer than `maxLineBytes`. Comments are passed over. */
export async function* readEvents(
  source: Readable,
  maxLineBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of agentBytes(source, signal)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(10, start); end !== -1; end = rest.indexOf(10, start)) {
      const line = rest.toString('utf8', start, end);
      start = end + 1;
      if (line.startsWith('data:')) yield line.slice(5).trimStart();
    }
    rest = rest.subarray(start);
    if (rest.length > maxLineBytes) {
      source.destroy();
      throw new AgentMisbehaved(`a line is longer than ${maxLineBytes} bytes`);
    }
  }
}
