import type { Logger } from 'pino';
import type { ApiKey } from '../access/api-key.ts';
import type { KeyRing } from '../access/key-ring.ts';
import { imageSettings } from '../containers/allowed-images.ts';
import type { ImageSupply } from '../containers/image-supply.ts';
import type { VolumeBackend } from '../containers/volume-backend.ts';
import type { Config } from '../contracts/environment.ts';
import { isBerthError } from '../contracts/errors.ts';
import { type WorkspaceId, workspaceContainerId } from '../contracts/ids.ts';
import type { Database } from '../database/database.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';
import { pathsRefusal } from '../http/workspace-proxy/workspace-address.ts';
import { WorkspaceProxy } from '../http/workspace-proxy/workspace-proxy.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import { Leadership } from '../lifecycle/leadership.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ArchiveCollector } from '../workspaces/archive-collector.ts';
import { Coordinator } from '../workspaces/coordinator.ts';
import { HealthMonitor } from '../workspaces/health-monitor.ts';
import { InstanceController } from '../workspaces/instance-controller.ts';
import { operationSteps } from '../workspaces/operation-steps.ts';
import { StateReconciler } from '../workspaces/state-reconciler.ts';
import { StorageProvider } from '../workspaces/storage-provider.ts';
import { Strays } from '../workspaces/strays.ts';
import { TtlManager } from '../workspaces/ttl-manager.ts';
import { DatabaseDirectory } from '../workspaces/workspace-directory.ts';
import { Workspaces } from '../workspaces/workspaces.ts';
import type { Foundation } from './open-foundation.ts';

const PIDS = 4096;

interface Given
  extends Pick<Foundation, 'backend' | 'state' | 'objects' | 'instance' | 'secret' | 'proxyEnvironment'> {
  config: Config;
  volumes: VolumeBackend;
  images: ImageSupply;
  database: Database;
  egress: ContainerEgress;
  ring: KeyRing;
  /** Where clients reach the service, once it listens. */
  address: () => string;
  metrics: Metrics;
  checkpoint: Checkpoint;
  log: Logger;
}

/** Puts together what workspaces need. Nothing runs yet. */
export function buildWorkspaces({
  config,
  backend,
  volumes,
  images,
  state,
  objects,
  database,
  egress,
  instance,
  secret,
  proxyEnvironment,
  ring,
  address,
  metrics,
  checkpoint,
  log,
}: Given) {
  const { activity } = state;
  const standbySeconds = config.DEFAULT_STANDBY_TTL ?? config.IDLE_TIMER_SECONDS;
  const archiveSeconds = config.DEFAULT_ARCHIVE_TTL;
  const limits = { all: config.MAX_RUNNING_WORKSPACES, ofKey: config.MAX_RUNNING_WORKSPACES_PER_KEY };

  const instances = new InstanceController({
    backend,
    egress,
    proxyEnv: (container) => proxyEnvironment.of(container),
    settings: instanceSettings(config),
  });
  const monitor = new HealthMonitor({ backend, volumes, database });
  const reconciler = new StateReconciler({
    database,
    steps: operationSteps({
      database,
      instances,
      storage: new StorageProvider(volumes, objects),
      monitor,
      getImage: (image, onProgress, signal) => images.get(image, onProgress, signal),
      onStarted: async (row) => {
        try {
          await activity.armTimer(row.id, row.standbyTtlSeconds ?? standbySeconds);
        } catch (error) {
          if (!isBerthError(error, 'STORE_UNAVAILABLE')) throw error;
          // It runs all the same, and the database lets it run for as long as the timer would.
          await database.workspaces.proxy.accessed(row.id);
        }
      },
      checkpoint,
    }),
    seconds: { STARTING: config.STARTUP_TIMEOUT_SECONDS },
    owner: instance,
    parallel: config.WORKSPACE_PARALLEL_OPERATIONS,
    log,
    onEnd(kind, outcome, seconds) {
      metrics.workspaceOperations.inc({ operation: kind, outcome });
      metrics.workspaceOperationSeconds.observe({ operation: kind }, seconds);
      coordinator.wake();
      activity.hint(); // whoever follows it
    },
  });
  const coordinator: Coordinator = new Coordinator({
    leadership: new Leadership({ lease: database.leases, name: 'workspaces', owner: instance }),
    monitor,
    strays: new Strays({ backend, volumes, database, log }),
    reconciler,
    ttl: new TtlManager({ database, activity, standbySeconds, archiveSeconds, log }),
    collector: new ArchiveCollector({ database, objects, log }),
    activity,
    settings: {
      observeSeconds: config.WORKSPACE_OBSERVE_SECONDS,
      reconcileSeconds: config.RECONCILE_INTERVAL_SECONDS,
      ttlSeconds: config.TTL_MANAGER_INTERVAL,
      collectSeconds: config.ARCHIVE_GC_INTERVAL_SECONDS,
    },
    log,
  });
  const directory = new DatabaseDirectory({
    database,
    backend,
    activity,
    limits,
    prove: (container, host) => egress.prove(container, host),
  });
  const workspaces = new Workspaces({
    database,
    directory,
    images: imageSettings(config),
    limits,
    hint: () => activity.hint(),
  });

  const proxy = new WorkspaceProxy({
    directory,
    activity,
    writes: database.workspaces.proxy,
    retry: (tenant, id) => workspaces.retry(tenant, id),
    ring,
    secret,
    metrics,
    settings: {
      domain: config.WORKSPACE_DOMAIN,
      base: address,
      pathsRefusal: () => pathsRefusal(config.HOST, ring.tenants),
      trustedProxies: config.TRUSTED_PROXIES,
      standbySeconds,
      wakeSeconds: config.STARTUP_TIMEOUT_SECONDS,
    },
    log,
  });

  return {
    service: {
      workspaces,
      view: { urlOf: (id: WorkspaceId) => proxy.urlOf(id), standbySeconds, archiveSeconds },
      link: (id: WorkspaceId, key: ApiKey) => proxy.link(id, key),
    },
    proxy,
    coordinator,
    /** Whose way out is to be looked after. A database that is away is asked again at the next round. */
    async running() {
      const ids = await database.workspaces.reads.running().catch(() => []);
      return ids.map(workspaceContainerId);
    },
    /** Ends every container, for an instance that shares them with no other: the homes stay. */
    async endAll() {
      const found = await backend.list('workspace');
      await Promise.all(found.map(({ id }) => backend.destroy(id, { stopSeconds: 0 })));
    },
    close() {
      directory.close();
    },
  };
}

function instanceSettings(config: Config) {
  return {
    limits: {
      cpus: config.WORKSPACE_CPUS,
      memoryBytes: config.WORKSPACE_MEMORY_MB * 1024 ** 2,
      pids: PIDS,
    },
    reservations: {
      cpus: config.WORKSPACE_CPUS_RESERVED,
      memoryBytes: config.WORKSPACE_MEMORY_MB_RESERVED * 1024 ** 2,
    },
    healthCheckSeconds: config.HEALTH_CHECK_TIMEOUT_SECONDS,
  };
}
