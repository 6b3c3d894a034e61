import { nearest } from './arguments/nearest.ts';
import { parseArguments, takesValue } from './arguments/parse-arguments.ts';
import { ASKING } from './asking-options.ts';
import type { Command, Surroundings } from './command.ts';
import { type CommandSpec, type Environment, UsageError } from './command-spec.ts';
import { ALIASES, COMMAND_NAMES, COMMANDS, type CommandName, type GivenTo, NOUNS } from './command-table.ts';
import { loadCommand } from './load-command.ts';
import { shown } from './terminal/escape.ts';
import { Screen } from './terminal/screen.ts';

const NOT_UNDERSTOOD = 2;
const HELP = ['--help', '-h'];

/** Runs what was typed after `berth`, and resolves with the exit code. */
export async function runCommandLine(typed: readonly string[], env: Environment): Promise<number> {
  const args = commandFirst(typed);
  const [first = '', second = ''] = args;
  if (first === '--version' || first === '-v') {
    const { VERSION } = await import('../version.ts');
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (first === 'help') return runCommandLine([...args.slice(1), '--help'], env);
  if (first === '' || HELP.includes(first)) return listed('', env, first === '' ? NOT_UNDERSTOOD : 0);
  const pair = `${first} ${second}`;
  if (isCommand(pair)) return run(pair, args.slice(2), env);
  const name = ALIASES[first] ?? first;
  if (isCommand(name)) return run(name, args.slice(1), env);
  if (!NOUNS.includes(first)) return notUnderstood('berth', noSuch(first));
  if (second === '' || HELP.includes(second)) return listed(first, env, second === '' ? NOT_UNDERSTOOD : 0);
  return notUnderstood('berth', noSuch(pair));
}

async function run<Name extends CommandName>(
  name: Name,
  args: readonly string[],
  env: Environment,
): Promise<number> {
  try {
    const { help, ...given } = parseArguments(name, COMMANDS[name], args);
    if (help) {
      const { commandHelp } = await import('./help/help-texts.ts');
      process.stdout.write(commandHelp(name, COMMANDS[name], new Screen(env).colours));
      return 0;
    }
    const command: Command<Name> = await loadCommand(name);
    return await command(given as GivenTo<Name>, surroundings(env)); // the parser has filled every name of this spec
  } catch (error) {
    if (error instanceof UsageError) return notUnderstood(`berth ${name}`, error.message);
    const { failureOf } = await import('./failure.ts');
    const { message, exitCode } = failureOf(error);
    process.stderr.write(`berth: ${message}\n`);
    return exitCode;
  }
}

/** The screen comes to be when it is first used: what a service does when nobody reads its log is its own affair. */
function surroundings(env: Environment): Surroundings {
  let screen: Screen | undefined;
  return {
    env,
    get screen() {
      screen ??= new Screen(env);
      return screen;
    },
  };
}

/** `berth --url … ps` is `berth ps --url …`. */
function commandFirst(typed: readonly string[]): string[] {
  let own = 0;
  while (typed[own]?.startsWith('--') === true && isAsking(typed[own]))
    own += takesValue(ASKING, typed[own] ?? '') ? 2 : 1;
  const rest = typed.slice(own);
  const words = NOUNS.includes(rest[0] ?? '') ? 2 : 1;
  return [...rest.slice(0, words), ...typed.slice(0, own), ...rest.slice(words)];
}

function isAsking(arg = ''): boolean {
  return Object.hasOwn(ASKING, arg.slice(2).split('=')[0] ?? '');
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

async function listed(noun: string, env: Environment, exitCode: number): Promise<number> {
  const [{ overview }, { VERSION }] = await Promise.all([
    import('./help/help-texts.ts'),
    import('../version.ts'),
  ]);
  const named = COMMAND_NAMES.filter((name) => noun === '' || name.startsWith(`${noun} `));
  const commands = named.map((name): [string, CommandSpec] => [name, COMMANDS[name]]);
  const title = noun === '' ? `Berth ${VERSION}: warm, isolated workspaces for AI agents.` : `berth ${noun}`;
  const text = overview(title, commands, new Screen(env).colours);
  (exitCode === 0 ? process.stdout : process.stderr).write(text);
  return exitCode;
}

function noSuch(words: string): string {
  const meant = nearest(words, [...COMMAND_NAMES, ...NOUNS, ...Object.keys(ALIASES)]);
  const hint = meant === undefined ? 'berth --help lists them' : `did you mean berth ${meant}?`;
  return `there is no command ${shown(words)}; ${hint}`;
}

function notUnderstood(who: string, message: string): number {
  process.stderr.write(`${who}: ${message}\n`);
  return NOT_UNDERSTOOD;
}
