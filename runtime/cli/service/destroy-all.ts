import { createInterface } from 'node:readline/promises';
import { loadConfig } from '../../contracts/load-config.ts';
import { StartFailure } from '../../lifecycle/start-failure.ts';
import { createLog } from '../../telemetry/log.ts';
import type { Command } from '../command.ts';

const NOT_CONFIRMED = 3;

export const command: Command<'destroy-all'> = async ({ options }, { env }) => {
  const loaded = loadConfig(env);
  if (!loaded.ok) {
    for (const problem of loaded.problems) process.stderr.write(`berth: ${problem}\n`);
    return 2;
  }
  const log = createLog(loaded.config.LOG_LEVEL);
  try {
    const { openInstallation } = await import('../../destroy-all.ts');
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
};

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
