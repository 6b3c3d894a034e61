import { bubblewrap } from './bubblewrap.ts';
import { chromium } from './chromium.ts';
import { docker } from './docker.ts';
import {
  editorImage,
  functionNodeImage,
  functionPythonImage,
  proxyImage,
  runtimeImage,
  workspaceImage,
} from './image-service.ts';
import { bun, deno } from './javascript-runtimes.ts';
import { moto } from './moto.ts';
import { postgres } from './postgres.ts';
import { postgresServer } from './postgres-server.ts';
import { redis } from './redis.ts';
import { redisServer } from './redis-server.ts';
import { clearDeadRuns, makeRunFolder } from './run-folder.ts';
import { s3 } from './s3.ts';
import type { Missing, Service } from './service.ts';
import { fish, zsh } from './shells.ts';

/** In the order of starting: a service may use the variables of those before it. */
export const services: readonly Service[] = [
  docker,
  redisServer,
  redis,
  postgresServer,
  postgres,
  moto,
  s3,
  bubblewrap,
  chromium,
  bun,
  deno,
  zsh,
  fish,
  workspaceImage,
  proxyImage,
  runtimeImage,
  editorImage,
  functionNodeImage,
  functionPythonImage,
];

export interface LeftOut extends Missing {
  readonly service: Service;
}

export interface StartedServices {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly leftOut: readonly LeftOut[];
  stop(): Promise<void>;
}

export interface StartOptions {
  say(line: string): void;
  /** Called after each service with everything so far. */
  started?(env: Readonly<Record<string, string>>): void;
  readonly signal: AbortSignal;
}

/** Finds or starts every service. One that can't be had is left out; the rest go on. */
export async function startServices({ say, started, signal }: StartOptions): Promise<StartedServices> {
  await clearDeadRuns();
  const folder = makeRunFolder();
  const env: Record<string, string> = { TEST_RUN_FOLDER: folder.path };
  const leftOut: LeftOut[] = [];
  const stops: (() => Promise<void>)[] = [];
  for (const service of services) {
    if (signal.aborted) break;
    const context = { folder: folder.path, env: { ...process.env, ...env }, say };
    const outcome = await service.start(context).catch((error: unknown) => ({
      missing: error instanceof Error ? error.message : `${error}`,
    }));
    if ('missing' in outcome) {
      leftOut.push({ service, ...outcome });
      continue;
    }
    Object.assign(env, outcome.env);
    stops.unshift(outcome.stop);
    started?.(env);
  }
  return {
    folder: folder.path,
    env,
    leftOut,
    async stop() {
      for (const stop of stops)
        await stop().catch((error: unknown) => say(`could not stop a service: ${error}`));
      folder.remove();
    },
  };
}
