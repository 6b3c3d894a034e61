import { expect } from 'vitest';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { OwnSchema } from '../contract/database/database-under-test.ts';
import { eventually } from './cluster.ts';
import { CLUSTER_SERVICES, DatabaseCluster } from './database-cluster.ts';
import { FunctionCalls } from './function-calls.ts';
import type { RuntimeProcess } from './runtime-process.ts';
import { functionNodeImage, type ProvidedService, postgres, redis } from './services/provided.ts';

/** What it needs of a run. */
export const FUNCTION_SERVICES = [
  ...CLUSTER_SERVICES,
  'function-node-image',
] as const satisfies ProvidedService[];

/** An installation with functions. */
export class FunctionCluster extends DatabaseCluster {
  static async open(env: Record<string, string> = {}, redisUrl = redis().url): Promise<FunctionCluster> {
    return new FunctionCluster(await OwnSchema.make(postgres().url), redisUrl, {
      ALLOWED_IMAGES: functionNodeImage(),
      HEARTBEAT_INTERVAL: '1',
      ...env,
    });
  }

  /** A function whose handler is this. */
  define(
    runtime: RuntimeProcess,
    source: string,
    scaling: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
  ): Promise<FunctionCalls> {
    const image = functionNodeImage();
    return FunctionCalls.define(runtime, this.name('f'), source, { image, scaling, ...more });
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
    const found = await this.labelled(LABEL.role, 'function');
    return found
      .filter(({ Labels }) => Labels[LABEL.part] === undefined)
      .filter(({ Labels }) => name === undefined || Labels[LABEL.function] === name)
      .map(({ Names, State }) => ({ id: (Names[0] ?? '').slice(1), state: State }));
  }

  kill(worker: string | null): Promise<void> {
    return this.engine.getContainer(worker ?? '').kill();
  }
}
