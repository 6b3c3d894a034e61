import { z } from 'zod';
import { command, environment, folder } from './exec-schemas.ts';

const MAX_COMMAND_BYTES = 32 * 1024;
const MAX_SIDE = 1000;
const side = z.int().min(1).max(MAX_SIDE);

export const terminalBody = z
  .strictObject({
    cmd: command
      .refine(
        (cmd) => cmd.reduce((sum, argument) => sum + Buffer.byteLength(argument) + 1, 0) <= MAX_COMMAND_BYTES,
        'has more than 32 KiB',
      )
      .optional()
      .meta({ description: 'Program and arguments; an interactive bash unless given' }),
    cwd: folder,
    env: environment.optional(),
    cols: side.default(80),
    rows: side.default(24),
  })
  .meta({ id: 'TerminalRequest' });

export const terminal = z
  .object({
    terminal_id: z.string(),
    conversation_id: z.string(),
    container_id: z.string(),
    cmd: z.array(z.string()),
    cols: z.int(),
    rows: z.int(),
    created_at: z.iso.datetime(),
    status: z.enum(['running', 'exited']),
    exit_code: z.int().nullable().meta({ description: 'null while it runs, and when a signal ended it' }),
  })
  .meta({ id: 'Terminal' });

export const terminalList = z.object({ terminals: z.array(terminal) }).meta({ id: 'TerminalList' });

export const socketQuery = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'wants a number of bytes')
    .default('0')
    .transform(Number)
    .meta({ description: 'How many bytes of its output you have; what is kept of the rest comes first' }),
});
