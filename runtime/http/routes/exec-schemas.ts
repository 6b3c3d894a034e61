import { z } from 'zod';

const MAX_ARGUMENTS = 4096;
/** What a text can't say: each byte that is no UTF-8 has become another character in it. */
export const exactBytes = z
  .string()
  .optional()
  .meta({ description: 'In base64, what was printed, where that is no UTF-8 and `text` has replacements' });

const noNul = (text: string) => !text.includes('\0');
const argument = z.string().refine(noNul, 'must not hold a NUL');

export const environment = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of a variable'), argument)
  .meta({ description: 'Environment variables of the command' });

export const command = z
  .array(argument)
  .min(1)
  .max(MAX_ARGUMENTS)
  .refine((cmd) => cmd[0] !== '', 'names no program');

export const folder = argument
  .min(1)
  .optional()
  .meta({ description: 'Folder to run in; `/workspace` unless given' });

export function execBody(maxSeconds: number) {
  return z
    .strictObject({
      cmd: command.meta({
        description: 'Program and arguments; no shell in between',
        examples: [['python3', '-c', 'print(1)']],
      }),
      cwd: folder,
      env: environment.optional(),
      stdin: z.string().optional(),
      timeout_seconds: z
        .number()
        .positive()
        .max(maxSeconds)
        .default(Math.min(60, maxSeconds))
        .meta({ description: 'After this long the command and all it started are killed' }),
    })
    .meta({ id: 'ExecRequest' });
}

export const execResult = z
  .object({
    exit_code: z.int().nullable().meta({ description: 'null when it was killed' }),
    signal: z.string().optional().meta({ description: 'What killed it' }),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().meta({ description: 'Whether output past 1 MiB was dropped' }),
    timed_out: z.boolean(),
    duration_ms: z.number(),
  })
  .meta({ id: 'ExecResult' });

/** What the stream of a command tells: any number of outputs, then one exit or error. */
export const execEvents = {
  output: z
    .object({
      stream: z.enum(['stdout', 'stderr']),
      text: z.string(),
      bytes: exactBytes,
    })
    .meta({ id: 'ExecOutput' }),
  exit: execResult
    .pick({ exit_code: true, signal: true, timed_out: true, duration_ms: true })
    .meta({ id: 'ExecExit' }),
  error: z.object({ code: z.string(), message: z.string() }).meta({ id: 'ExecFailure' }),
};
