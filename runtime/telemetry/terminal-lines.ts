const COLOURS: Record<string, string> = {
  warn: '\x1b[33m',
  error: '\x1b[31m',
  fatal: '\x1b[31m',
  debug: '\x1b[2m',
  trace: '\x1b[2m',
};
const DIM = '\x1b[2m';
const PLAIN = '\x1b[0m';

/** Turns pino's JSON lines into lines for a person at a terminal. */
export class TerminalLines {
  readonly #out: NodeJS.WritableStream;

  constructor(out: NodeJS.WritableStream) {
    this.#out = out;
  }

  write(line: string): void {
    this.#out.write(`${readable(JSON.parse(line))}\n`);
  }
}

/** `12:00:01 warn  a container crashed  container_id=ws-… detail=…` */
export function readable(entry: Record<string, unknown>): string {
  const { level, time, msg, err, ...rest } = entry;
  const name = String(level);
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const head = `${DIM}${String(time).slice(11, 19)}${PLAIN} ${COLOURS[name] ?? ''}${name.padEnd(5)}${PLAIN} ${String(msg ?? '')}`;
  const tail = fields.length === 0 ? '' : `  ${DIM}${fields.join(' ')}${PLAIN}`;
  return head + tail + stackOf(err);
}

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  return 'stack' in err ? `\n${DIM}${String(err.stack)}${PLAIN}` : '';
}
