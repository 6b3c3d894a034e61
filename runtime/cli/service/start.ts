import type { Logger } from 'pino';
import type { Runtime } from '../../build-runtime.ts';
import { loadConfig } from '../../contracts/load-config.ts';
import { StartFailure } from '../../lifecycle/start-failure.ts';
import { createLog } from '../../telemetry/log.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';
import { Signals } from '../signals.ts';

const AT_ONCE = 130;

export const command: Command<'start'> = async (_, { env }) => {
  const loaded = loadConfig(env);
  if (!loaded.ok) {
    for (const problem of loaded.problems) process.stderr.write(`berth: ${problem}\n`);
    return 2;
  }
  const log = createLog(loaded.config.LOG_LEVEL);
  const stop = untilSignal(log);
  try {
    // Loaded only now, so that --help and a wrong configuration answer at once.
    const { buildRuntime } = await import('../../build-runtime.ts');
    const runtime = await buildRuntime(loaded.config, env, log);
    announce(runtime, log);
    await stop;
    await runtime.close();
    log.info('stopped');
    return 0;
  } catch (error) {
    if (error instanceof StartFailure) {
      process.stderr.write(`berth: ${error.message}\n`);
      return error.exitCode;
    }
    log.debug({ err: error }, 'the start failed');
    process.stderr.write(`berth: The start failed: ${String(error)} (LOG_LEVEL=debug tells more)\n`);
    return 1;
  }
};

function untilSignal(log: Logger): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  new Signals(
    ['SIGTERM', 'SIGINT'],
    (signal) => {
      log.info({ signal }, 'stopping; a second signal ends it at once');
      resolve();
    },
    () => process.exit(AT_ONCE),
  );
  return promise;
}

function announce({ url, backend, developmentKey }: Runtime, log: Logger): void {
  log.info({ url, backend, version: VERSION }, 'Berth is running');
  if (developmentKey === undefined) return;
  // Not through the log: a key is a secret, and this one is for the person at the terminal.
  process.stdout.write(`
  Berth ${VERSION} on ${backend}

    export BERTH_URL=${url}
    export BERTH_API_KEY=${developmentKey}
    curl -H "Authorization: Bearer $BERTH_API_KEY" -H "Content-Type: application/json" \\
      -d '{"cmd": ["echo", "hello"]}' $BERTH_URL/v1/conversations/first/exec

  The documentation is at ${url}/docs

`);
}
