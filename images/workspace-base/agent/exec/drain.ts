import type { OutputPipe } from './output-pipe.ts';

const TICK_MS = 10;
const SILENT_TICKS = 5;
const MAX_TICKS = 25;

/** No pipe holds more than this, so what comes after was written after the command had ended. */
const PIPE_CAPACITY = 1024 * 1024;

/**
 * Resolves once all that a command wrote before its end has been read: when its pipes are closed, or,
 * where a background process keeps them open, after a moment of silence or of that process's own output.
 * Time in which a slow reader has the pipes paused does not count.
 */
export async function drained(pipes: OutputPipe[]): Promise<void> {
  const before = pipes.reduce((sum, pipe) => sum + pipe.bytes, 0);
  let last = before;
  let silent = 0;
  let ticks = 0;
  let timer: NodeJS.Timeout | undefined;

  const quiet = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (pipes.some((pipe) => pipe.paused)) return;
      const now = pipes.reduce((sum, pipe) => sum + pipe.bytes, 0);
      silent = now === last ? silent + 1 : 0;
      last = now;
      ticks += 1;
      const enough = now - before > pipes.length * PIPE_CAPACITY;
      if (silent >= SILENT_TICKS || ticks >= MAX_TICKS || enough) resolve();
    }, TICK_MS);
  });
  await Promise.race([Promise.all(pipes.map((pipe) => pipe.closed)), quiet]);
  clearInterval(timer);
}
