import type { ContainerId } from '../../contracts/ids.ts';

const APART_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/** Tasks that ECS did not show. Its answers lag behind, so one such answer proves nothing. */
export class Missing {
  readonly #since = new Map<ContainerId, number>();

  /** Whether it was missing a minute ago, too. */
  isGone(id: ContainerId, now: number): boolean {
    const since = this.#since.get(id);
    if (since === undefined) {
      if (this.#since.size >= MOST_REMEMBERED) this.#since.clear();
      this.#since.set(id, now);
      return false;
    }
    return now - since >= APART_MS;
  }

  seen(id: ContainerId): void {
    this.#since.delete(id);
  }
}
