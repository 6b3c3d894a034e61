import type { ExecOutcomeHeaders } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Call } from '../agent.ts';
import type { CommandOutcome } from './command.ts';
import { runForClient } from './run-for-client.ts';

/** Output up to this size is held back until its exit code is known. */
const HELD_BYTES = 1024 * 1024;

/**
 * Runs a command and answers with the very bytes of its stdout. How it ended comes as headers, or,
 * when the output is too big to hold, as trailers.
 */
export async function postExecBinary(call: Call): Promise<void> {
  const { res } = call;
  const held = Buffer.allocUnsafeSlow(HELD_BYTES); // the system gives it memory only as it fills
  let size = 0;

  const command = await runForClient(call, (stream, chunk) => {
    if (stream === 'stderr') return true;
    if (!res.headersSent) {
      if (size + chunk.length <= HELD_BYTES) {
        size += chunk.copy(held, size);
        return true;
      }
      res.writeHead(200, {
        'content-type': 'application/octet-stream',
        trailer: 'X-Exit-Code, X-Timed-Out, X-Signal',
      });
      res.write(held.subarray(0, size));
    }
    return res.write(Buffer.from(chunk)); // the chunk itself is only lent
  });
  res.on('drain', () => command.resume());

  const outcome = outcomeHeaders(await command.outcome);
  if (res.headersSent) {
    res.addTrailers({ ...outcome });
    res.end();
    return;
  }
  res.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': size,
    ...outcome,
  });
  res.end(held.subarray(0, size));
}

function outcomeHeaders({ exitCode, signal, timedOut }: CommandOutcome): ExecOutcomeHeaders {
  return {
    ...(exitCode !== null && { 'x-exit-code': String(exitCode) }),
    ...(signal && { 'x-signal': signal }),
    'x-timed-out': timedOut ? 'true' : 'false',
  };
}
