import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { expect } from 'vitest';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { OwnSchema } from '../contract/database/database-under-test.ts';
import { Cluster, eventually } from './cluster.ts';
import { FunctionCalls } from './function-calls.ts';
import type { RuntimeProcess } from './runtime-process.ts';
import { docker, functionNodeImage, type ProvidedService, postgres, redis } from './services/provided.ts';

/** What it needs of a run. */
export const FUNCTION_SERVICES = [
  'docker',
  'redis',
  's3',
  'postgres',
  'workspace-base-image',
  'function-node-image',
] as const satisfies ProvidedService[];

/** An installation with functions: a cluster of runtimes over a Postgres schema of its own. */
export class FunctionCluster implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly engine: Docker = connectEngine(docker().host);
  readonly #schema: OwnSchema;

  private constructor(schema: OwnSchema, redisUrl: string, env: Record<string, string>) {
    this.#schema = schema;
    this.cluster = new Cluster(redisUrl, {
      DATABASE_URL: schema.url,
      ALLOWED_IMAGES: functionNodeImage(),
      HEARTBEAT_INTERVAL: '1',
      ...env,
    });
  }

  static async open(env: Record<string, string> = {}, redisUrl = redis().url): Promise<FunctionCluster> {
    return new FunctionCluster(await OwnSchema.make(postgres().url), redisUrl, env);
  }

  /** A function whose handler is this. */
  define(
    runtime: RuntimeProcess,
    source: string,
    scaling: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
  ): Promise<FunctionCalls> {
    const name = `f-${randomBytes(4).toString('hex')}`;
    return FunctionCalls.define(runtime, name, source, { image: functionNodeImage(), scaling, ...more });
  }

  /** Resolves once so many of its workers are idle: its handler takes `ms`. */
  async warm(of: FunctionCalls, count: number): Promise<void> {
    await eventually(async () => {
      const calls = await Promise.all(Array.from({ length: count }, () => of.call({ ms: 1_000 })));
      expect(calls.map(({ status }) => status)).toEqual(Array(count).fill(200));
      expect((await of.pool()).idle).toBe(count);
    }, 90);
  }

  /** The workers that the engine has, in whatever state: of one function, or of all. */
  async workers(name?: string): Promise<{ id: string; state: string }[]> {
    const label = [`${LABEL.installation}=${this.cluster.installation}`, `${LABEL.role}=function`];
    const found = await this.engine.listContainers({ all: true, filters: { label } });
    return found
      .filter(({ Labels }) => Labels[LABEL.part] === undefined)
      .filter(({ Labels }) => name === undefined || Labels[LABEL.function] === name)
      .map(({ Names, State }) => ({ id: (Names[0] ?? '').slice(1), state: State }));
  }

  kill(worker: string | null): Promise<void> {
    return this.engine.getContainer(worker ?? '').kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    await this.#schema.remove();
  }
}
