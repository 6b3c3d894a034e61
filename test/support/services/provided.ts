import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { type PrivatePostgres, startPrivatePostgres } from './private-postgres.ts';
import { type PrivateRedis, startPrivateRedis } from './private-redis.ts';
import { type PrivateS3, startPrivateS3 } from './private-s3.ts';
import { RedisCluster } from './redis-cluster.ts';

// What a run provides to its tests. A file that needs a service wraps its tests in `describeWith`; within it, the
// functions below give the service's settings.

const variables = {
  docker: 'TEST_DOCKER_HOST',
  /** The engine's program, where the run started the engine itself. */
  dockerd: 'TEST_DOCKERD',
  redis: 'TEST_REDIS_URL',
  'redis-server': 'TEST_REDIS_SERVER',
  postgres: 'TEST_POSTGRES_URL',
  'postgres-server': 'TEST_POSTGRES_SERVER',
  /** A Python with moto, to start an S3 of one's own. */
  moto: 'TEST_MOTO_PYTHON',
  s3: 'TEST_S3_ENDPOINT',
  bubblewrap: 'TEST_BWRAP',
  chromium: 'TEST_CHROMIUM',
  bun: 'TEST_BUN',
  deno: 'TEST_DENO',
  zsh: 'TEST_ZSH',
  fish: 'TEST_FISH',
  'workspace-base-image': 'TEST_WORKSPACE_IMAGE',
  'proxy-sidecar-image': 'TEST_PROXY_IMAGE',
  'runtime-image': 'TEST_RUNTIME_IMAGE',
  'workspace-editor-image': 'TEST_EDITOR_IMAGE',
  'function-node-image': 'TEST_FUNCTION_NODE_IMAGE',
  'function-python-image': 'TEST_FUNCTION_PYTHON_IMAGE',
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

/** The program that a Redis of one's own is started with. */
export const redisServer = (): { path: string } => ({ path: provided('redis-server') });

/** A Redis for one test file to stop, pause and restart. Stop it in `afterAll`. */
export async function startRedis(): Promise<PrivateRedis> {
  return startPrivateRedis(provided('redis-server'), ownFolder());
}

/** A Redis cluster for one test file. */
export async function startRedisCluster(): Promise<RedisCluster> {
  return RedisCluster.start(provided('redis-server'), ownFolder());
}

/** The Postgres of the run. Other files use it at the same time: take a schema of your own, and never stop it. */
export const postgres = (): { url: string } => ({ url: provided('postgres') });

/** The folder of the programs that a Postgres of one's own is started with. */
export const postgresServer = (): { path: string } => ({ path: provided('postgres-server') });

/** A Postgres for one test file to stop, pause and restart. Stop it in `afterAll`. */
export async function startPostgres(): Promise<PrivatePostgres> {
  return startPrivatePostgres(provided('postgres-server'), ownFolder());
}

export interface ProvidedObjectStore {
  /** `s3://bucket`. */
  readonly url: string;
  readonly bucket: string;
  readonly endpoint: string;
  /** The standard AWS variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** The S3 of the run. Other files use its bucket at the same time: take a prefix of your own. */
export function objectStore(): ProvidedObjectStore {
  const endpoint = provided('s3');
  const { TEST_S3_BUCKET: bucket = '', TEST_S3_REGION: region = '' } = process.env;
  const { TEST_S3_ACCESS_KEY_ID: id = '', TEST_S3_SECRET_ACCESS_KEY: secret = '' } = process.env;
  return {
    url: `s3://${bucket}`,
    bucket,
    endpoint,
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secret,
    },
  };
}

/** An S3 for one test file alone. Stop it in `afterAll`. */
export async function startS3(options: { switchSeconds?: number } = {}): Promise<PrivateS3> {
  return startPrivateS3(provided('moto'), ownFolder(), options);
}

export const bubblewrap = (): { path: string } => ({ path: provided('bubblewrap') });

/** A browser's program. */
export const shell = (name: 'zsh' | 'fish'): { path: string } => ({ path: provided(name) });
export const chromium = (): { path: string } => ({ path: provided('chromium') });

/** Programs that run JavaScript, as Node does. */
export const bun = (): { path: string } => ({ path: provided('bun') });
export const deno = (): { path: string } => ({ path: provided('deno') });

/** Built from the sources as they are: never an older one. */
export const workspaceImage = (): string => provided('workspace-base-image');
export const proxyImage = (): string => provided('proxy-sidecar-image');
export const runtimeImage = (): string => provided('runtime-image');
export const editorImage = (): string => provided('workspace-editor-image');
export const functionNodeImage = (): string => provided('function-node-image');
export const functionPythonImage = (): string => provided('function-python-image');

/** Where what one file starts leaves its record, for a run that has to clear up. */
const ownFolder = (): string => process.env.TEST_RUN_FOLDER ?? mkdtempSync(join(tmpdir(), 'berth-services-'));

function provided(service: ProvidedService): string {
  const value = process.env[variables[service]];
  if (!value) throw new NotProvided(`Wrap this in describeWith('${service}', …): this run does not have it.`);
  return value;
}
