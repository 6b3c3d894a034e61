import { z } from 'zod';
import { BerthError } from '../contracts/errors.ts';
import {
  parseConversationId,
  parseExecutionId,
  parseFunctionName,
  parseTerminalId,
  parseWorkspaceId,
} from '../contracts/ids.ts';

/** `{id}` of a conversation. Throws `INVALID_ID`, before anything else of the request is looked at. */
export const conversationParam = z
  .string()
  .meta({ description: 'A name within the tenant', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' })
  .transform((text) => {
    const id = parseConversationId(text);
    if (id !== undefined) return id;
    throw new BerthError(
      'INVALID_ID',
      'a conversation id starts with a letter or digit and has at most 128 of A-Z a-z 0-9 . _ -',
    );
  });

export const workspaceParam = z
  .string()
  .meta({ description: 'A name within the installation', pattern: '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$' })
  .transform((text) => {
    const id = parseWorkspaceId(text);
    if (id !== undefined) return id;
    throw new BerthError(
      'INVALID_ID',
      'a workspace id has up to 40 of a-z, 0-9 and -, neither first nor last, and is not 12 hex digits',
    );
  });

export const functionParam = z
  .string()
  .meta({ description: 'A name within the tenant', pattern: '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$' })
  .transform((text) => {
    const name = parseFunctionName(text);
    if (name !== undefined) return name;
    throw new BerthError(
      'INVALID_ID',
      'the name of a function has up to 40 of a-z, 0-9 and -, neither first nor last',
    );
  });

export const executionParam = z
  .string()
  .meta({ description: 'As the events and the list of executions have it', pattern: '^ex-[0-9a-f]{24}$' })
  .transform((text) => {
    const id = parseExecutionId(text);
    if (id !== undefined) return id;
    throw new BerthError('INVALID_ID', 'an execution id is "ex-" and 24 hex digits');
  });

export const terminalParam = z
  .string()
  .meta({ description: 'As its making and the list of terminals have it', pattern: '^tm-[0-9a-f]{24}$' })
  .transform((text) => {
    const id = parseTerminalId(text);
    if (id !== undefined) return id;
    throw new BerthError('INVALID_ID', 'a terminal id is "tm-" and 24 hex digits');
  });

/** The rest of the address as a path below `/workspace`. The agent checks it again, against its links. */
export const pathParam = z
  .array(z.string())
  .meta({ description: 'Path below `/workspace`' })
  .transform((segments) => {
    const bad = segments.find((part) => part === '' || part === '.' || part === '..' || /[/\0]/.test(part));
    const path = segments.join('/');
    if (bad === undefined && Buffer.byteLength(path) <= 4096) return path;
    throw new BerthError('INVALID_PATH', 'a path has up to 4096 bytes, without empty parts, "." and ".."');
  });
