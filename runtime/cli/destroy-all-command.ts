import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { loadConfig } from '../contracts/load-config.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import { createLog } from '../telemetry/log.ts';
import type { Environment } from './command.ts';

const HELP = `berth destroy-all: end every container of this installation

  --yes     don't ask first
  --purge   delete the saved files of the conversations that have a container, instead of saving them, and the homes of
            workspaces
  --help

Uses the same settings as berth start. Each conversation's work gets GRACE_PERIOD_SECONDS to end, its files are saved,
then its container goes; the warm ones go at once. Stop the instances first: one that runs goes on making containers.

Exit codes: 0 nothing is left, 1 something could not be ended, 2 the configuration is wrong, 3 not confirmed.
`;

const NOT_CONFIRMED = 3;

export async function destroyAllCommand(args: string[], env: Environment): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) return 2;
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const loaded = loadConfig(env);
  if (!loaded.ok) {
    for (const problem of loaded.problems) process.stderr.write(`berth: ${problem}\n`);
    return 2;
  }
  const log = createLog(loaded.config.LOG_LEVEL);
  try {
    const { openInstallation } = await import('../destroy-all.ts');
    await using installation = await openInstallation(loaded.config, env, log);
    const found = await installation.count(options.purge);
    if (found === 0) {
      process.stdout.write('There are no containers.\n');
      return 0;
    }
    if (!options.yes && !(await confirmed(found, installation.name, options.purge))) return NOT_CONFIRMED;
    const left = await installation.destroyAll(options.purge, (line) => process.stdout.write(`${line}\n`));
    process.stdout.write(left === 0 ? 'Nothing is left.\n' : `${left} could not be ended; run it again.\n`);
    return left === 0 ? 0 : 1;
  } catch (error) {
    const known = error instanceof StartFailure;
    process.stderr.write(`berth: ${known ? error.message : `It failed: ${String(error)}`}\n`);
    return known ? error.exitCode : 1;
  }
}

function readOptions(args: string[]): { yes: boolean; purge: boolean; help: boolean } | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        yes: { type: 'boolean', short: 'y', default: false },
        purge: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    process.stderr.write(`berth: ${error instanceof Error ? error.message : String(error)}\n${HELP}`);
    return undefined;
  }
}

async function confirmed(found: number, installation: string, purge: boolean): Promise<boolean> {
  if (!process.stdin.isTTY) {
    process.stderr.write('berth: there is nobody to ask; --yes says it is meant\n');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const what = purge
    ? `deletes ${found} containers and homes of installation ${installation}, and saved files`
    : `ends ${found} containers of installation ${installation} after saving their files`;
  const question = `This ${what}. Type yes to go on: `;
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim() === 'yes';
}
