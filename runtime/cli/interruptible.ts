import { Signals, signalExitCode } from './signals.ts';
import type { Screen } from './terminal/screen.ts';

const READER_GONE = 141;

/** Does work that Ctrl-C, or a reader that goes, ends by way of the signal; a second Ctrl-C leaves at once. */
export async function interruptible(
  screen: Screen,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const abort = new AbortController();
  let gone: number | undefined;
  using signals = new Signals(
    ['SIGINT', 'SIGTERM', 'SIGHUP'],
    () => abort.abort(),
    (signal) => process.exit(signalExitCode(signal)),
  );
  screen.whenGone = () => {
    gone = READER_GONE;
    abort.abort();
  };
  try {
    const exitCode = await work(abort.signal);
    return signals.exitCode ?? gone ?? exitCode;
  } catch (error) {
    const ended = signals.exitCode ?? gone;
    if (ended === undefined) throw error;
    return ended;
  }
}
