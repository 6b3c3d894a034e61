import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Activity } from './activity.ts';
import type { Assignment } from './assignment.ts';
import type { PipeSupply } from './exec/pipe-supply.ts';
import type { RunningCommands } from './exec/running-commands.ts';
import type { Executions } from './executions/executions.ts';
import type { Terminals } from './terminals/terminals.ts';
import type { Token } from './token.ts';

/** All that the agent is and knows, made once at its start. */
export interface Agent {
  version: string;
  token: Token;
  /** The real path of the workspace. */
  root: string;
  /** What every command gets before the environments of `/assign` and of its request. */
  inheritedEnv: Record<string, string>;
  killAfterMs: number;
  /** The program that executes requests; none: the built-in code runner does. */
  command: readonly string[] | undefined;
  assignment: Assignment;
  activity: Activity;
  commands: RunningCommands;
  pipes: PipeSupply;
  executions: Executions;
  terminals: Terminals;
}

/** What a terminal's line is called in `Upgrade`. */
export const TERMINAL_UPGRADE = 'berth-terminal';

/** One request on its way to an answer. */
export interface Call {
  agent: Agent;
  req: IncomingMessage;
  res: ServerResponse;
  /** As it came, still percent-encoded: nothing has been normalised away. */
  path: string;
  /** Without its question mark. */
  query: string;
  /** Of a call that asks to go on as something else than HTTP. */
  upgrade?: { socket: Socket; head: Buffer };
}

export type Handler = (call: Call) => void | Promise<void>;
