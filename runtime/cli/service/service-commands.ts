import { JSON_ONLY } from '../asking-options.ts';
import type { CommandSpec } from '../command-spec.ts';

export const serviceCommands = {
  start: {
    group: 'Service',
    says: 'run the service; `up` is the same',
    arguments: {},
    options: {},
    notes: `Runs on what the machine has: a Docker engine if one answers, else child processes; state in memory and in
the folder .berth. Settings are environment variables; berth config lists them.

SIGTERM or Ctrl-C stops it: no new requests, streams may finish within GRACE_PERIOD_SECONDS, then all is closed.
A second signal ends it at once.

Exit codes: 0 stopped, 1 could not start, 2 the configuration is wrong.`,
    examples: [
      ['berth start', 'on http://127.0.0.1:7420, with a key for development'],
      ['PORT=8000 WARM_POOL_MIN_SIZE=5 berth start', 'elsewhere, with five containers kept ready'],
    ],
  },
  config: {
    group: 'Service',
    says: 'show the settings in force, and what is wrong with them',
    arguments: {},
    options: { ...JSON_ONLY },
    notes: `Lists every setting with its value, where it comes from and what it means; secrets are not shown.
Problems are listed at the end, and the exit code is 2 when there are any.`,
    examples: [
      ['berth config', 'everything that can be set'],
      ['berth config --json | jq -r .PORT.value', 'one of them'],
    ],
  },
  'destroy-all': {
    group: 'Service',
    says: 'end every container of this installation, files saved first',
    arguments: {},
    options: {
      yes: { short: 'y', says: "don't ask first" },
      purge: {
        says: 'delete the saved files of the conversations that have a container, instead of saving them, and the homes of workspaces',
      },
    },
    notes: `Uses the same settings as berth start. Each conversation's work gets GRACE_PERIOD_SECONDS to end, its files are saved,
then its container goes; the warm ones go at once. Stop the instances first: one that runs goes on making containers.

Exit codes: 0 nothing is left, 1 something could not be ended, 2 the configuration is wrong, 3 not confirmed.`,
    examples: [
      ['berth destroy-all', 'asks first'],
      ['berth destroy-all --yes --purge', 'leaves nothing, and asks nobody'],
    ],
  },
} as const satisfies Record<string, CommandSpec>;
