import type { Logger } from 'pino';
import type { Config } from '../contracts/environment.ts';
import { type ContainerId, parseWorkerId, workspaceOfContainer } from '../contracts/ids.ts';
import { orphanGraceSeconds } from '../contracts/load-config.ts';
import { BlobCollection } from '../conversations/blob-collection.ts';
import { DRAIN_LEASE_SECONDS, STOP_SECONDS } from '../conversations/conversation-settings.ts';
import { HealthWatch } from '../conversations/health-watch.ts';
import { ContainerInventory } from '../sweep/container-inventory.ts';
import { ConversationOwner } from '../sweep/conversation-owner.ts';
import { Reconcile } from '../sweep/reconcile.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ConversationParts } from './build-conversations.ts';
import type { Foundation } from './open-foundation.ts';

interface Given extends Omit<Foundation, 'data' | 'installation'> {
  config: Config;
  parts: ConversationParts;
  metrics: Metrics;
  log: Logger;
}

export type Sweep = ReturnType<typeof buildSweep>;

/** Puts together what looks after containers that nobody uses at the moment. Nothing runs yet. */
export function buildSweep({
  config,
  settings,
  backend,
  state,
  objects,
  secret,
  parts,
  metrics,
  instance,
  log,
}: Given) {
  const { ending, recovery, inquiry, adoption, conversations } = parts;
  const onAction = (action: string, reason: string) => metrics.sweepActions.inc({ action, reason });

  const reconcile = new Reconcile({
    owners: [
      new ConversationOwner({
        state,
        backend,
        adoption,
        inquiry,
        settings,
        log,
        onAction,
        destroy: (container) => ending.destroy(container, 0),
        onLost: (record) => recovery.bury(record, { reason: 'gone', detail: 'the container is gone' }),
      }),
    ],
    leases: state.leases,
    instance,
    backend,
    graceSeconds: orphanGraceSeconds(config, backend.kind),
    log,
    onAction,
    onBreaker: (open) => metrics.sweepBreakerOpen.set(open ? 1 : 0),
  });

  const health = new HealthWatch({
    state,
    backend,
    inquiry,
    secret,
    instance,
    log,
    async onUnhealthy(record, why) {
      const leaseSeconds = DRAIN_LEASE_SECONDS;
      await state.conversations.beginDrain({ ...record, onlyIdle: false, reason: 'unhealthy', leaseSeconds });
      await recovery.bury(record, { reason: 'hung', detail: `the container is unhealthy: ${why}` });
    },
    onUnhealthyMember: (container) => removeMember(container),
    onCount: (reason) => metrics.unhealthyContainers.inc({ reason }),
  });

  async function removeMember(container: ContainerId): Promise<void> {
    const removed = await state.warmPool.remove({ container, stopSeconds: STOP_SECONDS });
    if (removed === 'done') await ending.destroy(container, 0);
  }

  /** The kill switch: whoever's it is, and without saving. False: there is none. */
  async function kill(container: ContainerId): Promise<boolean> {
    if (workspaceOfContainer(container) !== undefined || parseWorkerId(container) !== undefined)
      return killApp(container);
    const record = await state.conversations.findByContainer(container);
    const exists = (await backend.inspect(container)) !== undefined;
    if (record !== undefined) await ending.end(record, 0);
    else if (exists) {
      await removeMember(container);
      await ending.destroy(container, 0);
    }
    return record !== undefined || exists;
  }

  /** A workspace's home stays. Who looks after them sees that it is gone. */
  async function killApp(container: ContainerId): Promise<boolean> {
    const found = await backend.inspect(container);
    if (found === undefined) return false;
    await backend.destroy(container, { stopSeconds: 0, engineId: found.engineId });
    return true;
  }

  const inventory = new ContainerInventory({
    state,
    backend,
    expiresAt: (record) => conversations.expiresAt(record),
    warmTtlSeconds: config.WARM_POOL_TTL_SECONDS,
  });

  const blobs = new BlobCollection({
    store: state.conversations,
    leases: state.leases,
    objects,
    instance,
    log,
  });

  return {
    reconcile,
    blobs,
    health,
    inventory,
    kill,
    async close() {
      await Promise.allSettled([reconcile.close(), health.close(), blobs.close()]);
    },
  };
}
