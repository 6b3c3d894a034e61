import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../agent.ts';
import { drained } from './drain.ts';
import type { CommandOrder } from './exec-request.ts';
import type { OutputPipe } from './output-pipe.ts';
import { endSession } from './session.ts';
import { spawnProblem } from './spawn-problem.ts';
import { openStdio } from './stdio.ts';

export type StreamName = 'stdout' | 'stderr';

/** Takes a chunk, which is only lent. Returns false to have that stream paused until `resume`. */
export type OutputSink = (stream: StreamName, chunk: Buffer) => boolean;

export interface CommandOutcome {
  /** null when the command was killed, or had to be. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  durationMs: number;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const NO_EXIT: Exit = { code: null, signal: null };

/** How long the news of an exit may take once everything was killed. */
const GIVE_UP_MS = 100;

/** Spawns a command in a session of its own; throws a Problem when there is nothing to spawn. */
export async function startCommand(order: CommandOrder, sink: OutputSink, agent: Agent): Promise<Command> {
  const startedAt = performance.now();
  const stdio = await openStdio(agent.pipes, order.stdin);
  let child: ChildProcess;
  try {
    const { cwd, env } = order;
    child = spawn(order.program, order.args, { cwd, env, detached: true, stdio: stdio.options });
  } catch (error) {
    stdio.abandon();
    throw spawnProblem(error, order);
  }
  const pipes = stdio.attach(
    child,
    (chunk) => sink('stdout', chunk),
    (chunk) => sink('stderr', chunk),
  );
  const exited = new Promise<Exit>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise((resolve) => child.on('error', resolve));
    throw spawnProblem(error, order);
  }
  return new Command({ pid, exited, pipes, startedAt, timeoutMs: order.timeoutMs, agent });
}

interface CommandParts {
  pid: number;
  exited: Promise<Exit>;
  pipes: OutputPipe[];
  startedAt: number;
  timeoutMs: number;
  agent: Agent;
}

/** A command that runs until it ends, its time is over, or it is cancelled. */
export class Command {
  /** Comes when the main process has ended and what it wrote has been read. */
  readonly outcome: Promise<CommandOutcome>;
  readonly #parts: CommandParts;
  readonly #stopped = Promise.withResolvers<void>();
  #state: 'running' | 'stopping' | 'over' = 'running';

  constructor(parts: CommandParts) {
    this.#parts = parts;
    this.outcome = this.#run();
  }

  /** Reads on after the sink has said that it is behind. */
  resume(): void {
    for (const pipe of this.#parts.pipes) pipe.resume();
  }

  /** Ends the command and everything it started, and drops what they still say. */
  cancel(): void {
    for (const pipe of this.#parts.pipes) pipe.drop();
    void this.#stop();
  }

  async #run(): Promise<CommandOutcome> {
    const { pid, exited, pipes, startedAt, timeoutMs, agent } = this.#parts;
    agent.commands.add(pid);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void this.#stop();
    }, timeoutMs);

    // A main process that not even SIGKILL ends (it waits in the kernel) is not waited for.
    const givenUp = this.#stopped.promise.then(() => sleep(GIVE_UP_MS, NO_EXIT));
    const exit = await Promise.race([exited, givenUp]);
    clearTimeout(timer);
    if (this.#state === 'stopping') await this.#stopped.promise;
    this.#state = 'over';
    agent.commands.delete(pid);
    await drained(pipes);
    for (const pipe of pipes) pipe.drop();

    return {
      exitCode: timedOut ? null : exit.code,
      signal: exit.signal,
      timedOut,
      durationMs: Math.round(performance.now() - startedAt),
    };
  }

  async #stop(): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    try {
      await endSession(this.#parts.pid, this.#parts.agent.killAfterMs);
      this.#stopped.resolve();
    } catch (error) {
      this.#stopped.reject(error);
    }
  }
}
