import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_SOCKET_NAME, socketFolderName } from '../../../runtime/containers/socket-folder.ts';
import { parseWorkerId } from '../../../runtime/contracts/ids.ts';
import { FunctionCalls } from '../../support/function-calls.ts';
import { must } from '../../support/must.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';

const LOOK_MS = 50;

export interface Defined {
  name: string;
  source: string;
  /** So many workers from the beginning, and no more: none of them is cold. */
  workers: number;
}

/** A runtime with functions whose workers all wait, and how to reach each past the runtime. */
export class LiveFunctions implements AsyncDisposable {
  readonly runtime: RuntimeProcess;
  readonly #sockets: string;

  private constructor(runtime: RuntimeProcess, sockets: string) {
    this.runtime = runtime;
    this.#sockets = sockets;
  }

  static async start(env: Record<string, string>, functions: Defined[]): Promise<LiveFunctions> {
    const sockets = mkdtempSync(join(tmpdir(), 'berth-bench-'));
    const runtime = await RuntimeProcess.start({
      env: { MAX_FUNCTION_WORKERS: '64', MAX_CONTAINERS: '200', ...env, WORKSPACE_SOCKET_BASE_PATH: sockets },
    });
    const live = new LiveFunctions(runtime, sockets);
    try {
      for (const { name, source, workers } of functions) {
        const scaling = { min_capacity: workers, max_capacity: workers, idle_timeout: 3600 };
        const made = await FunctionCalls.define(runtime, name, source, { scaling });
        while ((await made.pool()).idle !== workers) await sleep(LOOK_MS);
      }
      return live;
    } catch (error) {
      await live[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Where a function is called. */
  url(name: string): URL {
    return new URL(`${this.runtime.url}/v1/functions/${name}/invoke`);
  }

  /** The sockets of a function's workers. */
  async workersOf(name: string): Promise<string[]> {
    const answer = await this.runtime.fetch('/metrics/containers');
    const { containers } = (await answer.json()) as {
      containers: { container_id: string; function_name: string }[];
    };
    const [own = ''] = readdirSync(this.#sockets);
    return containers
      .filter(({ function_name }) => function_name === name)
      .map(({ container_id }) => socketFolderName(must(parseWorkerId(container_id))))
      .map((folder) => join(this.#sockets, own, folder, AGENT_SOCKET_NAME));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime[Symbol.asyncDispose]();
    rmSync(this.#sockets, { recursive: true, force: true });
  }
}
