import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { type PrivateRedis, startPrivateRedis } from './private-redis.ts';

// What a run provides to its tests. A file that needs a service wraps its tests in `describeWith`; within it, the
// functions below give the service's settings.

const variables = {
  docker: 'TEST_DOCKER_HOST',
  /** The engine's program, where the run started the engine itself. */
  dockerd: 'TEST_DOCKERD',
  redis: 'TEST_REDIS_URL',
  'redis-server': 'TEST_REDIS_SERVER',
  bubblewrap: 'TEST_BWRAP',
  'workspace-base-image': 'TEST_WORKSPACE_IMAGE',
  'runtime-image': 'TEST_RUNTIME_IMAGE',
} as const;

export type ProvidedService = keyof typeof variables;

/** `describe` where every named service is there; else the tests are skipped, and the run names what is missing. */
export function describeWith(
  services: ProvidedService | readonly ProvidedService[],
  title: string,
  tests: () => void,
): void {
  const wanted = typeof services === 'string' ? [services] : services;
  const missing = wanted.filter((service) => !process.env[variables[service]]);
  if (missing.length === 0) describe(title, tests);
  else describe.skip(`${title} (without ${missing.join(', ')})`, () => collect(tests));
}

/** The body of a skipped `describe` runs too, to count its tests; where it asks for the service, counting ends. */
function collect(tests: () => void): void {
  try {
    tests();
  } catch (error) {
    if (!(error instanceof NotProvided)) throw error;
    it('and what follows', () => {});
  }
}

class NotProvided extends Error {}

/** The engine, as `DOCKER_HOST` would name it. It may be a user's own: leave alone what a test did not make. */
export const docker = (): { host: string } => ({ host: provided('docker') });

export const dockerd = (): { path: string } => ({ path: provided('dockerd') });

/** The Redis of the run. Other files use it at the same time: take a key prefix, and never stop or flush it. */
export const redis = (): { url: string } => ({ url: provided('redis') });

/** A Redis for one test file to stop, pause and restart. Stop it in `afterAll`. */
export async function startRedis(): Promise<PrivateRedis> {
  const parent = process.env.TEST_RUN_FOLDER ?? mkdtempSync(join(tmpdir(), 'berth-redis-'));
  return startPrivateRedis(provided('redis-server'), parent);
}

export const bubblewrap = (): { path: string } => ({ path: provided('bubblewrap') });

/** Built from the sources as they are: never an older one. */
export const workspaceImage = (): string => provided('workspace-base-image');
export const runtimeImage = (): string => provided('runtime-image');

function provided(service: ProvidedService): string {
  const value = process.env[variables[service]];
  if (!value) throw new NotProvided(`Wrap this in describeWith('${service}', …): this run does not have it.`);
  return value;
}
