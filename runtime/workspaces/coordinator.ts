import type { Logger } from 'pino';
import { LEADER_LOOK_SECONDS, type Leadership } from '../lifecycle/leadership.ts';
import { Loop } from '../lifecycle/loop.ts';
import { toldOnce } from '../lifecycle/told-once.ts';
import type { ActivityStore } from '../state/activity-store.ts';
import type { ArchiveCollector } from './archive-collector.ts';
import type { HealthMonitor } from './health-monitor.ts';
import type { StateReconciler } from './state-reconciler.ts';
import type { Strays } from './strays.ts';
import type { TtlManager } from './ttl-manager.ts';

/** A hint brings the next look forward, but looks are no closer than this. */
const BETWEEN_LOOKS_MS = 5_000;
/** A database that is away is told in every minute of it. */
const AWAY_AGAIN_MS = 30_000;

export interface CoordinatorSettings {
  observeSeconds: number;
  reconcileSeconds: number;
  ttlSeconds: number;
  collectSeconds: number;
}

interface Parts {
  leadership: Leadership;
  monitor: HealthMonitor;
  strays: Strays;
  reconciler: StateReconciler;
  ttl: TtlManager;
  collector: ArchiveCollector;
  activity: Pick<ActivityStore, 'onHint'>;
  settings: CoordinatorSettings;
  log: Logger;
}

/** Everything that happens to workspaces again and again: at one instance, the leader. */
export class Coordinator {
  readonly #parts: Parts;
  readonly #lead: Loop;
  readonly #observe: Loop;
  readonly #reconcile: Loop;
  readonly #others: Loop[];
  #quiet = () => {};
  #observedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { leadership, monitor, strays, reconciler, ttl, collector, settings } = parts;
    const led = (name: string, intervalSeconds: number, runOnce: () => Promise<unknown>) =>
      new Loop({
        name,
        intervalSeconds,
        log: parts.log,
        runOnce: async () => (leadership.leads ? void (await runOnce()) : undefined),
      });
    this.#observe = led('workspaces observed', settings.observeSeconds, async () => {
      this.#observedAt = performance.now();
      const { changed, unknown } = await monitor.observeAll();
      if (changed > 0) this.#reconcile.wake();
      await strays.remove(unknown);
    });
    this.#reconcile = led('workspaces', settings.reconcileSeconds, () => reconciler.runOnce());
    this.#others = [
      led('idle workspaces', settings.ttlSeconds, async () => {
        if ((await ttl.runOnce()) > 0) this.#reconcile.wake();
      }),
      led('archives', settings.collectSeconds, () => collector.runOnce()),
    ];
    this.#lead = new Loop({
      name: 'leader of workspaces',
      intervalSeconds: LEADER_LOOK_SECONDS,
      firstSeconds: 0,
      log: parts.log,
      runOnce: toldOnce(
        parts.log,
        'the database is away: workspaces are left as they are',
        () => this.#takeTheLead(),
        { ms: AWAY_AGAIN_MS },
      ),
    });
  }

  start(): void {
    for (const loop of this.#loops()) loop.start();
    this.#quiet = this.#parts.activity.onHint(() => {
      // Somebody said what is wanted, or met a container that is not there any more.
      if (performance.now() - this.#observedAt > BETWEEN_LOOKS_MS) this.#observe.wake();
      this.#reconcile.wake();
    });
  }

  /** One operation is over: the next may be due. */
  wake(): void {
    this.#reconcile.wake();
  }

  /** No new turn begins; what is under way is left to others. */
  async stop(): Promise<void> {
    const { leadership, reconciler } = this.#parts;
    this.#quiet();
    await Promise.all(this.#loops().map((loop) => loop.stop()));
    await reconciler.close();
    if (leadership.leads) await leadership.letGo();
  }

  async #takeTheLead(): Promise<void> {
    if (await this.#parts.leadership.hold()) this.#beginToLead();
  }

  #beginToLead(): void {
    this.#parts.log.info('this instance looks after workspaces now');
    // What is there now is looked at first: it may have changed while nobody looked.
    this.#observe.wake();
    this.#reconcile.wake();
  }

  #loops(): Loop[] {
    return [this.#lead, this.#observe, this.#reconcile, ...this.#others];
  }
}
