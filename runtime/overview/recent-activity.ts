import { AcquireWindow } from './acquire-window.ts';
import { MinuteCounts } from './minute-counts.ts';
import type { Outcome, Source } from './overview.ts';

const HOUR_MS = 3_600_000;
const UNSAVED_KEPT = 100;

export interface Unsaved {
  tenant: string;
  conversation: string;
  at: number;
}

/** What happened at this instance within the last hour, in bounded memory. */
export class RecentActivity {
  readonly executions = new MinuteCounts();
  readonly acquires = new AcquireWindow();
  #unsaved: Unsaved[] = [];

  executionEnded(of: { tenant: string }, outcome: Outcome): void {
    this.executions.add(of.tenant, outcome, Date.now());
  }

  acquired(source: Source, of: { tenant: string }, seconds: number): void {
    this.acquires.add(source, of.tenant, seconds, Date.now());
  }

  /** A conversation's container ended without its last changes being saved. */
  unsaved({ tenant, conversation }: { tenant: string; conversation: string }): void {
    this.#unsaved = [...this.#unsaved, { tenant, conversation, at: Date.now() }].slice(-UNSAVED_KEPT);
  }

  unsavedSince(now: number): Unsaved[] {
    return this.#unsaved.filter(({ at }) => at > now - HOUR_MS);
  }
}
