import { AcquireWindow } from './acquire-window.ts';
import { MinuteCounts } from './minute-counts.ts';
import type { Outcome, Source } from './overview.ts';

const HOUR_MS = 3_600_000;
/** Of each tenant: what one loses hides nothing of another's. */
const UNSAVED_KEPT = 50;

export interface Unsaved {
  tenant: string;
  conversation: string;
  at: number;
}

/** What happened at this instance within the last hour, in bounded memory. */
export class RecentActivity {
  readonly executions = new MinuteCounts();
  readonly acquires = new AcquireWindow();
  readonly #unsaved = new Map<string, Unsaved[]>();

  executionEnded(of: { tenant: string }, outcome: Outcome): void {
    this.executions.add(of.tenant, outcome, Date.now());
  }

  acquired(source: Source, of: { tenant: string }, seconds: number): void {
    this.acquires.add(source, of.tenant, seconds, Date.now());
  }

  /** A conversation's container ended without its last changes being saved. */
  unsaved({ tenant, conversation }: { tenant: string; conversation: string }): void {
    const before = this.#unsaved.get(tenant) ?? [];
    const all = [...before, { tenant, conversation, at: Date.now() }];
    this.#unsaved.set(tenant, all.slice(-UNSAVED_KEPT));
  }

  unsavedSince(now: number): Unsaved[] {
    return [...this.#unsaved.values()].flat().filter(({ at }) => at > now - HOUR_MS);
  }
}
