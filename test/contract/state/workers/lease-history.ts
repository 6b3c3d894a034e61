import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Holder, INSTANCE_SILENT_SECONDS } from '../../../../runtime/state/worker-store.ts';
import type { SettledWorkerCall } from './settle-worker-call.ts';
import type { WorkersDump } from './workers-dump.ts';

const acquired = z.object({ kind: z.string(), worker: z.string().optional(), retired: z.array(z.string()) });
const ids = z.array(z.string());

interface Held {
  lease: string;
  instance: string;
  /** Since it was given to it, or was to be ended by it. */
  since: number;
  until: number;
}

/** Who has which worker, and which are ended, from the answers alone. */
export class LeaseHistory {
  readonly #held = new Map<string, Held>();
  readonly #ended = new Set<string>();
  /** Instance → its last beat with something held. */
  readonly #beats = new Map<string, number>();

  /** Which promises about leases this answer breaks. */
  note(call: SettledWorkerCall, answer: unknown, before: WorkersDump, now: number): string[] {
    const { worker, lease } = call;
    switch (call.kind) {
      case 'acquire': {
        const { worker: leased, retired } = acquired.parse(answer);
        const broken = retired.flatMap((id) => this.#give(id, call, now, 'ended'));
        return leased === undefined ? broken : [...broken, ...this.#give(leased, call, now, 'used')];
      }
      case 'reserve':
        return answer === 'reserved' ? this.#give(worker, call, now, 'used') : [];
      case 'take':
        return answer === 'done' ? this.#give(worker, call, now, 'used') : [];
      case 'retire':
        return answer === 'done' ? this.#give(worker, call, now, 'ended') : [];
      case 'takeOver':
        return this.#takeOver(call, ids.parse(answer), before, now);
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
        this.#beat(call, before, now);
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
      this.#ended.has(worker) && state !== 'terminating' ? [`${worker} is ${state}, not ended`] : [],
    );
  }

  #give(worker: string, call: SettledWorkerCall, now: number, to: 'used' | 'ended'): string[] {
    const { lease } = call;
    const held = this.#held.get(worker);
    if (held?.lease !== lease) this.#held.set(worker, heldBy(call, now));
    const broken = [];
    if (held && held.lease !== lease)
      broken.push(`${worker} is given to ${lease} though ${held.lease} has it`);
    if (to === 'used' && this.#ended.has(worker)) broken.push(`${worker} is given though it was to be ended`);
    if (to === 'ended') this.#ended.add(worker);
    return broken;
  }

  #leave(worker: string, lease: string, now: number): string[] {
    const broken = this.#unlessHeld(worker, lease, now);
    this.#held.delete(worker);
    return broken;
  }

  #end(worker: string, lease: string, now: number): string[] {
    const broken = this.#unlessHeld(worker, lease, now);
    const held = this.#held.get(worker);
    if (held && !this.#ended.has(worker)) held.since = now;
    this.#ended.add(worker);
    return broken;
  }

  #unlessHeld(worker: string, lease: string, now: number): string[] {
    const held = this.#held.get(worker);
    return held?.lease === lease && held.until > now ? [] : [`${lease} does not have ${worker}`];
  }

  #beat({ instance, held }: SettledWorkerCall, before: WorkersDump, now: number): void {
    if (held.length > 0) this.#beats.set(instance, now);
    else this.#beats.delete(instance);
    for (const one of held) {
      if (!before.ids.includes(one.worker)) this.#held.set(one.worker, heldBy({ ...one, instance }, now));
    }
  }

  /** Those that are lost, and no others. */
  #takeOver(call: SettledWorkerCall, taken: string[], before: WorkersDump, now: number): string[] {
    const lost = before.ids.filter((id) => {
      const held = this.#held.get(id);
      if (held === undefined || held.until <= now) return held !== undefined;
      if (held.instance === call.instance) return !call.ownLeases.includes(held.lease);
      const heard = Math.max(this.#beats.get(held.instance) ?? 0, held.since);
      return now - heard >= INSTANCE_SILENT_SECONDS * 1_000;
    });
    for (const id of taken) {
      const since = this.#ended.has(id) ? (this.#held.get(id)?.since ?? now) : now;
      this.#held.set(id, { ...heldBy(call, now), since });
      this.#ended.add(id);
    }
    if (taken.length > 0) this.#beats.set(call.instance, now);
    return isDeepStrictEqual(lost, taken) ? [] : [`${lost} are lost, and ${taken} taken over`];
  }
}

function heldBy({ lease, instance, seconds }: Holder, now: number): Held {
  return { lease, instance, since: now, until: now + seconds * 1_000 };
}
