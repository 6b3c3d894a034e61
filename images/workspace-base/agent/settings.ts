/** What the agent is started with, parsed and checked. */
export interface Settings {
  token: string;
  version: string;
  workspace: string;
  listen: { mode: 'uds'; socket: string } | { mode: 'http'; port: number };
  /** Where programs find the egress proxy; with a socket, the agent opens the port and leads it there. */
  proxy: { port: number; socket: string | undefined } | undefined;
  maxLifetimeSeconds: number;
  /** How long past the maximum lifetime the agent waits for the runtime to end it. */
  lifetimeGraceSeconds: number;
  idleExitSeconds: number;
  /** How long a command may take to leave after SIGTERM before SIGKILL. */
  killAfterSeconds: number;
  /** The program of `AGENT_COMMAND` and its arguments. */
  command: string[] | undefined;
}

export class SettingsError extends Error {}

/** A Unix socket's address has room for 107 bytes and an end marker. */
const MAX_SOCKET_PATH_BYTES = 107;

/** Parses the agent's environment; throws one `SettingsError` that names everything wrong with it. */
export function parseSettings(env: Record<string, string | undefined>): Settings {
  const problems: string[] = [];
  const text = (name: string, fallback: string): string => env[name] || fallback;

  const number = (name: string, fallback: number, min: number, max: number): number => {
    const value = env[name] ? Number(env[name]) : fallback;
    if (value >= min && value <= max) return value;
    problems.push(`${name} must be a number from ${min} to ${max}`);
    return fallback;
  };

  const portNumber = (name: string, fallback: number): number => {
    const value = number(name, fallback, 0, 65_535);
    if (!Number.isInteger(value)) problems.push(`${name} must be a whole number`);
    return value;
  };

  const isTooLong = (path: string): boolean => Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES;

  const token = text('AGENT_TOKEN', '');
  if (!/^[\x21-\x7e]{16,512}$/.test(token)) {
    problems.push('AGENT_TOKEN is required: 16 to 512 printable characters without spaces');
  }

  const socket = text('AGENT_SOCKET', '/berth/agent/agent.sock');
  const port = portNumber('AGENT_HTTP_PORT', 9000);
  const mode = text('AGENT_LISTEN_MODE', 'uds');
  if (mode !== 'uds' && mode !== 'http') problems.push('AGENT_LISTEN_MODE must be uds or http');
  if (mode === 'uds' && isTooLong(socket)) {
    problems.push(`AGENT_SOCKET must have at most ${MAX_SOCKET_PATH_BYTES} bytes`);
  }

  const proxySocket = env.AGENT_PROXY_SOCKET || undefined;
  const proxyPort = portNumber('AGENT_PROXY_PORT', 8080);
  if (proxySocket !== undefined && isTooLong(proxySocket)) {
    problems.push(`AGENT_PROXY_SOCKET must have at most ${MAX_SOCKET_PATH_BYTES} bytes`);
  }
  if (proxySocket === undefined && proxyPort === 0) {
    problems.push('AGENT_PROXY_PORT must not be 0 without AGENT_PROXY_SOCKET');
  }
  const hasProxy = proxySocket !== undefined || Boolean(env.AGENT_PROXY_PORT);

  const workspace = text('AGENT_WORKSPACE', '/workspace');
  if (!workspace.startsWith('/') || /^\/+$/.test(workspace)) {
    problems.push('AGENT_WORKSPACE must be an absolute path other than /');
  }

  const command = parseCommandLine(text('AGENT_COMMAND', ''));
  if (command === 'wrong') {
    problems.push(
      'AGENT_COMMAND must be a program and its arguments, run without a shell: a JSON array of strings, or words between blanks',
    );
  }

  const year = 31_536_000;
  const settings: Settings = {
    token,
    version: text('AGENT_VERSION', '0.0.0'),
    workspace,
    listen: mode === 'http' ? { mode, port } : { mode: 'uds', socket },
    proxy: hasProxy ? { port: proxyPort, socket: proxySocket } : undefined,
    maxLifetimeSeconds: number('AGENT_MAX_LIFETIME_SECONDS', 28_800, 0, year),
    lifetimeGraceSeconds: number('AGENT_LIFETIME_GRACE_SECONDS', 3_600, 0, year),
    idleExitSeconds: number('AGENT_IDLE_EXIT_SECONDS', 7_200, 0, year),
    killAfterSeconds: number('AGENT_KILL_AFTER_SECONDS', 2, 0, 60),
    command: command === 'wrong' ? undefined : command,
  };
  if (problems.length > 0) throw new SettingsError(problems.join('; '));
  return settings;
}

/** What begins like a JSON array has to be one. */
function parseCommandLine(line: string): string[] | undefined | 'wrong' {
  const words = line.trimStart().startsWith('[') ? parseWords(line) : line.split(/\s+/).filter(Boolean);
  if (!words?.every((word) => !word.includes('\0'))) return 'wrong';
  if (line === '') return undefined;
  return words[0] ? words : 'wrong';
}

function parseWords(json: string): string[] | undefined {
  try {
    const words: unknown = JSON.parse(json);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined;
  } catch {
    return undefined;
  }
}
