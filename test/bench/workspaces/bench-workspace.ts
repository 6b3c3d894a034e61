import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RuntimeProcess } from '../../support/runtime-process.ts';

const LOOK_MS = 20;
const SETTLES_MS = 300_000;

interface Shown {
  observed_status: string;
  operation: string;
  error: unknown;
}

/** One workspace of a runtime, as its user deals with it. */
export class BenchWorkspace {
  readonly id: string;
  readonly #runtime: RuntimeProcess;

  private constructor(runtime: RuntimeProcess, id: string) {
    this.id = id;
    this.#runtime = runtime;
  }

  /** Made, and in this state. */
  static async make(runtime: RuntimeProcess, desired_state: string): Promise<BenchWorkspace> {
    const id = `bench-${randomBytes(4).toString('hex')}`;
    const answer = await runtime.post('/v1/workspaces', { id, desired_state });
    if (answer.status !== 201) throw new Error(`no workspace was made: ${await answer.text()}`);
    const made = new BenchWorkspace(runtime, id);
    await made.#settles(desired_state);
    return made;
  }

  /** Resolves once it is there. */
  async become(desired_state: string): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ desired_state });
    const answer = await this.#runtime.fetch(`/v1/workspaces/${this.id}`, { method: 'PATCH', headers, body });
    if (answer.status !== 200) throw new Error(`the word was refused: ${await answer.text()}`);
    await answer.body?.cancel();
    await this.#settles(desired_state);
  }

  /** Visits it, which wakes it, and resolves with the first byte of what its program answers. */
  async firstByte(): Promise<void> {
    const headers = { authorization: `Bearer ${this.#runtime.developmentKey}` };
    const visit = request(`${this.#runtime.url}/w/${this.id}/`, { headers, agent: false });
    visit.end();
    const [answer] = await once(visit, 'response');
    if (answer.statusCode !== 200) throw new Error(`the visit was answered with ${answer.statusCode}`);
    await once(answer, 'data');
    answer.destroy();
  }

  async #settles(state: string): Promise<void> {
    const giveUp = performance.now() + SETTLES_MS;
    for (;;) {
      const answer = await this.#runtime.fetch(`/v1/workspaces/${this.id}`);
      const shown = (await answer.json()) as Shown; // what the API tells
      if (shown.observed_status === state && shown.operation === 'NONE') return;
      if (shown.error !== null || performance.now() > giveUp)
        throw new Error(`${this.id} does not become ${state}: ${JSON.stringify(shown)}`);
      await sleep(LOOK_MS);
    }
  }
}
