import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TerminalView } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Agent } from '../agent.ts';
import { endSession, hasLeader, signalSession } from '../exec/session.ts';
import { Problem } from '../problem.ts';
import { LineMessages } from './frames.ts';
import type { KeptTerminal } from './kept-terminal.ts';
import { type PtyProcess, startPty } from './pty-process.ts';
import { Scrollback } from './scrollback.ts';
import { isSide, type TerminalOrder } from './terminal-request.ts';
import { Viewer } from './viewer.ts';

const MAX_VIEWERS = 32;
/** With more than this untaken by somebody, the terminal is not read. Less than is kept by a piece of its output. */
const MAX_BEHIND = Scrollback.MAX_BYTES - 64 * 1024;
/** Who is behind, and takes less than this in so long, is let go, and the terminal goes on. */
const MIN_TAKEN = 256 * 1024;
const PATIENCE_MS = 5000;
/** What may be typed ahead of the command; the lines are not read beyond. */
const MAX_TYPED = 64 * 1024;
/** What the program that holds the terminal gets to end, once all in the session has. */
const HELPER_ENDS_MS = 1000;

/** A command in a terminal, which lives with or without anyone who looks at it. */
export class Terminal implements KeptTerminal {
  readonly ended: Promise<void>;
  readonly #order: TerminalOrder;
  readonly #pty: PtyProcess;
  readonly #agent: Agent;
  readonly #createdAt = new Date();
  readonly #shown = new Scrollback();
  readonly #viewers = new Set<Viewer>();
  #size: { cols: number; rows: number };
  #exit: { code: number | null } | undefined;
  #watchdog: NodeJS.Timeout | undefined;

  static async start(order: TerminalOrder, agent: Agent): Promise<Terminal> {
    return new Terminal(order, await startPty(order, agent.inheritedEnv.PATH ?? ''), agent);
  }

  private constructor(order: TerminalOrder, pty: PtyProcess, agent: Agent) {
    this.#order = order;
    this.#pty = pty;
    this.#agent = agent;
    this.#size = { cols: order.cols, rows: order.rows };
    agent.commands.add(pty.leader);
    pty.shown.on('data', (chunk: Buffer) => this.#show(chunk));
    pty.typed.on('drain', () => {
      for (const { line } of this.#viewers) line.resume();
    });
    this.ended = pty.ended.then((code) => this.#end(code));
  }

  get isOver(): boolean {
    return this.#exit !== undefined;
  }

  get view(): TerminalView {
    return {
      terminal_id: this.#order.id,
      cmd: this.#order.cmd,
      ...this.#size,
      created_at: this.#createdAt.toISOString(),
      status: this.isOver ? 'exited' : 'running',
      exit_code: this.#exit?.code ?? null,
    };
  }

  check(after: number): void {
    // Lines that are not read, because the command takes nothing, don't tell when their viewer goes.
    if (this.#viewers.size >= MAX_VIEWERS)
      for (const viewer of this.#viewers) if (viewer.line.isPaused()) this.#drop(viewer);
    if (this.#viewers.size >= MAX_VIEWERS)
      throw new Problem('TOO_MANY_TERMINALS', `${MAX_VIEWERS} look at this terminal already`);
    if (after > this.#shown.end)
      throw new Problem('INVALID_REQUEST', `after is more than the ${this.#shown.end} bytes that were shown`);
  }

  attach(line: Duplex, after: number): void {
    const viewer = new Viewer(line, this.#shown, after, () => this.#flow());
    this.#viewers.add(viewer);
    const messages = new LineMessages();
    line.on('data', (chunk: Buffer) => {
      try {
        for (const message of messages.take(chunk)) {
          if (message.kind === 'input') this.#type(message.bytes, line);
          else this.#resize(message);
        }
      } catch {
        line.destroy(); // it is no line of the runtime's
      }
    });
    line.on('end', () => line.destroy()); // nobody there reads on
    line.on('close', () => {
      this.#viewers.delete(viewer);
      this.#flow();
    });
    if (this.#exit === undefined) viewer.pump();
    else viewer.end(this.#exit.code);
    this.#flow();
  }

  async end(): Promise<void> {
    const { leader } = this.#pty;
    // What it left behind when it ended is of this session still, unless the number is another's by now.
    if (this.isOver && hasLeader(leader)) return;
    // Shells take SIGTERM for nothing, and a stopped command has to go on to end.
    for (const signal of ['SIGHUP', 'SIGCONT'] as const) signalSession(leader, signal);
    await endSession(leader, this.#agent.killAfterMs);
    if (this.isOver) return;
    const late = setTimeout(() => this.#pty.kill(), HELPER_ENDS_MS);
    await Promise.race([this.ended, sleep(2 * HELPER_ENDS_MS, undefined, { ref: false })]);
    clearTimeout(late);
  }

  #type(bytes: Buffer, line: Duplex): void {
    if (this.isOver) return;
    this.#pty.typed.write(bytes);
    if (this.#pty.typed.writableLength > MAX_TYPED) line.pause();
  }

  #resize({ cols, rows }: { cols: number; rows: number }): void {
    if (this.isOver || !isSide(cols) || !isSide(rows)) return;
    if (this.#pty.sizes.writableLength > MAX_TYPED) return;
    this.#size = { cols, rows };
    this.#pty.sizes.write(`${rows} ${cols}\n`);
  }

  #show(chunk: Buffer): void {
    this.#shown.push(chunk);
    for (const viewer of this.#viewers) viewer.pump();
    this.#flow();
  }

  /** Reads the terminal while everyone who looks keeps up. */
  #flow(): void {
    if (!this.#isAnyBehind()) {
      this.#pty.shown.resume();
      return;
    }
    this.#pty.shown.pause();
    if (this.#watchdog !== undefined) return;
    const seen = new Map([...this.#viewers].map((viewer) => [viewer, viewer.at]));
    this.#watchdog = setTimeout(() => this.#letGo(seen), PATIENCE_MS).unref();
  }

  #isBehind({ at }: Viewer): boolean {
    return this.#shown.end - at > MAX_BEHIND;
  }

  #isAnyBehind(): boolean {
    for (const viewer of this.#viewers) if (this.#isBehind(viewer)) return true;
    return false;
  }

  #letGo(seen: ReadonlyMap<Viewer, number>): void {
    this.#watchdog = undefined;
    for (const [viewer, at] of seen) {
      if (this.#viewers.has(viewer) && this.#isBehind(viewer) && viewer.at - at < MIN_TAKEN) {
        this.#drop(viewer);
      }
    }
    this.#flow();
  }

  #drop(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    viewer.drop();
  }

  #end(code: number | null): void {
    this.#exit = { code };
    clearTimeout(this.#watchdog);
    this.#agent.commands.delete(this.#pty.leader);
    for (const viewer of this.#viewers) viewer.end(code);
  }
}
