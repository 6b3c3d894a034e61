import type { ExecResult } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Call } from '../agent.ts';
import { sendJson } from '../http/send-json.ts';
import { CappedText } from './capped-text.ts';
import { runForClient } from './run-for-client.ts';
import { streamExec } from './stream-exec.ts';

const CAP = 1024 * 1024;

/** Runs a command; answers when it has ended, or as it goes when asked for events. */
export async function postExec(call: Call): Promise<void> {
  if (/\btext\/event-stream\b/.test(call.req.headers.accept ?? '')) return streamExec(call);

  const [output, stdout, stderr] = [new CappedText(CAP), new CappedText(CAP), new CappedText(CAP)];
  const command = await runForClient(call, (stream, chunk) => {
    output.add(stream, chunk);
    (stream === 'stdout' ? stdout : stderr).add(stream, chunk);
    return true;
  });
  const outcome = await command.outcome;

  const result: ExecResult = {
    exit_code: outcome.exitCode,
    ...(outcome.signal && { signal: outcome.signal }),
    output: output.end(),
    stdout: stdout.end(),
    stderr: stderr.end(),
    truncated: output.truncated,
    timed_out: outcome.timedOut,
    duration_ms: outcome.durationMs,
  };
  sendJson(call.res, 200, result);
}
