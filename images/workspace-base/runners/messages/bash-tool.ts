import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Tool } from './message-types.ts';

export const BASH: Tool = {
  name: 'bash',
  description: 'Runs a bash command in the workspace and returns what it writes. Each call is a new shell.',
  input_schema: {
    type: 'object',
    properties: { command: { type: 'string', description: 'The command' } },
    required: ['command'],
  },
};

const TIMEOUT_SECONDS = 120;
const TIMED_OUT = 124;
/** Of the beginning and of the end, each. */
const KEPT_CHARACTERS = 15_000;

/** Runs a command of the model's. It stays in the runner's session, so that cancelling the execution ends it too. */
export async function runBash(command: string): Promise<{ content: string; is_error: boolean }> {
  const child = spawn('timeout', ['-k', '2', String(TIMEOUT_SECONDS), 'bash', '-c', command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [head, tail, length] = ['', '', 0];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      const room = KEPT_CHARACTERS - head.length;
      length += text.length;
      head += text.slice(0, room);
      tail = (tail + text.slice(room)).slice(-KEPT_CHARACTERS);
    });
  }
  const [code, signal] = await once(child, 'close');
  const left = length - head.length - tail.length;
  const output = left > 0 ? `${head}\n… ${left} characters left out …\n${tail}` : head + tail;
  if (code === 0) return { content: output, is_error: false };
  const how = code === TIMED_OUT ? `timed out after ${TIMEOUT_SECONDS} s` : `exit code ${code ?? signal}`;
  return { content: `${output}\n[${how}]`.trimStart(), is_error: true };
}
