import { z } from 'zod';
import type { SettledWorkerCall } from './settle-worker-call.ts';
import type { WorkersDump } from './workers-dump.ts';

const acquired = z.object({ kind: z.string(), worker: z.string().optional(), retired: z.array(z.string()) });
const ids = z.array(z.string());

/** Who has which worker, and which are ended, from the answers alone. */
export class LeaseHistory {
  readonly #held = new Map<string, { lease: string; until: number }>();
  readonly #ended = new Set<string>();

  /** Which promises about leases this answer breaks. */
  note(call: SettledWorkerCall, answer: unknown, before: WorkersDump, now: number): string[] {
    const { worker, lease } = call;
    const until = now + call.seconds * 1_000;
    switch (call.kind) {
      case 'acquire': {
        const { worker: leased, retired } = acquired.parse(answer);
        const broken = retired.flatMap((id) => this.#give(id, lease, until, 'ended'));
        return leased === undefined ? broken : [...broken, ...this.#give(leased, lease, until, 'used')];
      }
      case 'reserve':
        return answer === 'reserved' ? this.#give(worker, lease, until, 'used') : [];
      case 'take':
        return answer === 'done' ? this.#give(worker, lease, until, 'used') : [];
      case 'retire':
        return answer === 'done' ? this.#give(worker, lease, until, 'ended') : [];
      case 'takeOver':
        for (const id of ids.parse(answer)) {
          this.#held.set(id, { lease, until });
          this.#ended.add(id);
        }
        return [];
      case 'ready':
      case 'park':
        return answer === 'done' ? this.#leave(worker, lease, now) : [];
      case 'release':
        if (answer === 'idle') return this.#leave(worker, lease, now);
        return answer === 'terminating' ? this.#end(worker, lease, now) : [];
      case 'evict':
        return answer === 'done' ? this.#end(worker, lease, now) : [];
      case 'adopt':
        if (answer !== 'done') return [];
        return this.#held.has(worker) || this.#ended.has(worker) ? [`${worker} is not nobody’s`] : [];
      case 'beat':
        for (const held of call.held) {
          if (before.ids.includes(held.worker)) continue;
          this.#held.set(held.worker, { lease: held.lease, until: now + held.seconds * 1_000 });
        }
        return [];
      case 'gone':
        if (before.workers[worker]?.state === 'terminating') this.#held.delete(worker);
        return [];
      case 'look':
        return [];
    }
  }

  /** Those that were to be ended and are not. */
  resurrected(dump: WorkersDump): string[] {
    return Object.values(dump.workers).flatMap(({ worker, state }) =>
      this.#ended.has(worker) && state !== 'terminating'
        ? [`${worker} is ${state} though it was to be ended`]
        : [],
    );
  }

  #give(worker: string, lease: string, until: number, to: 'used' | 'ended'): string[] {
    const held = this.#held.get(worker);
    if (held?.lease !== lease) this.#held.set(worker, { lease, until });
    const broken = [];
    if (held && held.lease !== lease)
      broken.push(`${worker} is given to ${lease} though ${held.lease} has it`);
    if (to === 'used' && this.#ended.has(worker)) broken.push(`${worker} is given though it was to be ended`);
    if (to === 'ended') this.#ended.add(worker);
    return broken;
  }

  #leave(worker: string, lease: string, now: number): string[] {
    const held = this.#held.get(worker);
    this.#held.delete(worker);
    const holds = held?.lease === lease && held.until > now;
    return holds ? [] : [`${lease} gives up ${worker}, which it does not have`];
  }

  #end(worker: string, lease: string, now: number): string[] {
    const held = this.#held.get(worker);
    this.#ended.add(worker);
    const holds = held?.lease === lease && held.until > now;
    return holds ? [] : [`${lease} ends ${worker}, which it does not have`];
  }
}
