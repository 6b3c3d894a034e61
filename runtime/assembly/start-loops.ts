import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../contracts/environment.ts';
import { Loop } from '../lifecycle/loop.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ConversationParts } from './build-conversations.ts';
import type { Sweep } from './build-sweep.ts';

/** The backend is held against the store in every so many of these cycles. */
const RECONCILE_EVERY = 5;
const POOL_SECONDS = 5;
const RELAY_SECONDS = 5;
/** What a turn under way gets to end when everything stops. */
const TURN_MS = 10_000;
/** What no manifest names is kept for a day anyway. */
const BLOBS_SECONDS = 6 * 3600;
/** Late enough to stay out of a start's way, soon enough for an instance that is restarted every day. */
const FIRST_BLOBS_SECONDS = 600;

interface Given {
  config: Config;
  parts: ConversationParts;
  sweep: Sweep;
  egress: { everySeconds: number; runOnce(): Promise<void> };
  metrics: Metrics;
  log: Logger;
}

export interface RunningLoops {
  /** No new turn begins. */
  stop(): void;
  /** Resolves once the turns under way are over, or have had their time. */
  over(): Promise<void>;
}

/** Everything that happens again and again. Reconciling also happens at the start. */
export function startLoops({ config, parts, sweep, egress, metrics, log }: Given): RunningLoops {
  const { adoption, relays, expiry, warmPool } = parts;
  let cycle = 0;
  const loops = [
    new Loop({
      name: 'garbage',
      intervalSeconds: config.GC_INTERVAL_SECONDS,
      log,
      runOnce: async () => {
        const result = await expiry.runOnce().then(
          () => 'ok',
          (error) => {
            log.error({ err: error }, 'looking for expired containers failed');
            return 'failed';
          },
        );
        metrics.gcCycles.inc({ result });
      },
    }),
    new Loop({
      name: 'sweep',
      intervalSeconds: config.GC_INTERVAL_SECONDS,
      firstSeconds: 0,
      log,
      runOnce: async () => {
        cycle += 1;
        await adoption.run();
        if (cycle % RECONCILE_EVERY !== 1) return undefined;
        const report = await sweep.reconcile.turn();
        if (report?.nextLookIn === undefined) return undefined;
        cycle = 0; // the second look is due when the first says so
        return report.nextLookIn;
      },
    }),
    new Loop({
      name: 'health',
      intervalSeconds: config.HEALTH_CHECK_INTERVAL_SECONDS,
      log,
      runOnce: () => sweep.health.runOnce(),
    }),
    new Loop({
      name: 'blobs',
      intervalSeconds: BLOBS_SECONDS,
      firstSeconds: FIRST_BLOBS_SECONDS,
      log,
      runOnce: () => sweep.blobs.runOnce(),
    }),
    new Loop({
      name: 'warm pool',
      intervalSeconds: POOL_SECONDS,
      firstSeconds: 0,
      log,
      runOnce: () => warmPool.runOnce(),
    }),
    new Loop({
      name: 'relays',
      intervalSeconds: RELAY_SECONDS,
      firstSeconds: 0,
      log,
      runOnce: () => relays.runOnce(),
    }),
    new Loop({
      name: 'egress',
      intervalSeconds: egress.everySeconds,
      firstSeconds: 0,
      log,
      runOnce: () => egress.runOnce(),
    }),
  ];
  for (const loop of loops) loop.start();
  let stopped: Promise<unknown> = Promise.resolve();
  return {
    stop() {
      stopped = Promise.all(loops.map((loop) => loop.stop()));
    },
    async over() {
      await Promise.race([stopped, sleep(TURN_MS, undefined, { ref: false })]);
    },
  };
}
