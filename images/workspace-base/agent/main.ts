import { realpathSync, statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Activity } from './activity.ts';
import type { Agent } from './agent.ts';
import { Assignment } from './assignment.ts';
import { proxyEnvironment } from './egress/proxy-environment.ts';
import { openProxyPort } from './egress/proxy-port.ts';
import { inheritedEnvironment } from './exec/environment.ts';
import { PipeSupply } from './exec/pipe-supply.ts';
import { RunningCommands } from './exec/running-commands.ts';
import { Executions } from './executions/executions.ts';
import { listen } from './listen.ts';
import { rehearse } from './rehearsal.ts';
import { createAgentServer } from './server.ts';
import { parseSettings, type Settings, SettingsError } from './settings.ts';
import { Terminals } from './terminals/terminals.ts';
import { Token } from './token.ts';

// What it passes on leaves little behind at a time. V8 would let that come together in ever more memory, of which a
// container has little; it is the user's.
setFlagsFromString('--semi-space-growth-factor=1');

/** Late enough to stay out of the way of the first health check. */
const READY_AFTER_MS = 250;

function fail(message: string): never {
  console.error(`agent: ${message}`);
  process.exit(2);
}

function readSettings(): Settings {
  try {
    return parseSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) fail(error.message);
    throw error;
  }
}

function findWorkspace(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    fail(`AGENT_WORKSPACE must be a directory: ${path}`);
  }
  return realpathSync(path);
}

const settings = readSettings();
const agent: Agent = {
  version: settings.version,
  token: new Token(settings.token),
  root: findWorkspace(settings.workspace),
  inheritedEnv: inheritedEnvironment(process.env),
  killAfterMs: settings.killAfterSeconds * 1000,
  command: settings.command,
  assignment: new Assignment(),
  activity: new Activity(),
  commands: new RunningCommands(),
  pipes: new PipeSupply(),
  executions: new Executions(),
  terminals: new Terminals(),
};

function exit(): never {
  agent.commands.killAll();
  agent.pipes.close();
  process.exit(0);
}

process.on('SIGTERM', exit);
process.on('SIGINT', exit);

const limits = {
  lifetimeMs: (settings.maxLifetimeSeconds + settings.lifetimeGraceSeconds) * 1000,
  idleMs: settings.idleExitSeconds * 1000,
};
agent.activity.watch(limits, (reason) => {
  console.error(`agent: exits by itself: ${reason}`);
  exit();
});

const server = createAgentServer(agent);
try {
  await listen(server, settings.listen);
  // Takes some milliseconds, in which the runtime finds the socket. No request is read before it is done.
  if (settings.proxy)
    Object.assign(agent.inheritedEnv, proxyEnvironment(await openProxyPort(settings.proxy)));
} catch (error) {
  fail(`cannot listen: ${error instanceof Error ? error.message : error}`);
}
setTimeout(() => {
  void agent.pipes.fill();
  rehearse(server, settings.token);
}, READY_AFTER_MS);
