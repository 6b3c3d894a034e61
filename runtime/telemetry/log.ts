import { pino } from 'pino';
import { TerminalLines } from './terminal-lines.ts';

/** JSON lines; on a terminal, lines for people. Nothing that is logged holds a header, a body or a key. */
export function createLog(level: string, destination: NodeJS.WriteStream = process.stdout): pino.Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  return destination.isTTY === true
    ? pino(options, new TerminalLines(destination))
    : pino(options, destination);
}
