import type { Logger } from 'pino';
import type { ImageSupply } from '../containers/image-supply.ts';
import type { Config } from '../contracts/environment.ts';
import { BerthError } from '../contracts/errors.ts';
import type { FunctionKey } from '../contracts/function-key.ts';
import { orphanGraceSeconds } from '../contracts/load-config.ts';
import type { Database } from '../database/database.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';
import { Invocations } from '../functions/calls/invocation.ts';
import { WorkerConnections } from '../functions/calls/worker-connections.ts';
import { FunctionRegistry } from '../functions/definitions/function-registry.ts';
import { functionSettings } from '../functions/definitions/function-settings.ts';
import { HeartbeatJanitor } from '../functions/janitor/heartbeat-janitor.ts';
import { WorkerMetrics } from '../functions/janitor/worker-metrics.ts';
import { WorkerOwner } from '../functions/janitor/worker-owner.ts';
import { HeldWorkers } from '../functions/pool/held-workers.ts';
import { PoolManager } from '../functions/pool/pool-manager.ts';
import { WorkerCreation } from '../functions/pool/worker-creation.ts';
import { WorkerEnding } from '../functions/pool/worker-ending.ts';
import { WorkerProbe } from '../functions/pool/worker-probe.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import { Loop } from '../lifecycle/loop.ts';
import { toldOnce } from '../lifecycle/told-once.ts';
import { INSTANCE_SILENT_SECONDS } from '../state/worker-store.ts';
import { Leadership } from '../sweep/leadership.ts';
import { RoleSweep } from '../sweep/role-sweep.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Foundation } from './open-foundation.ts';

const BEAT_SECONDS = 5;

interface Given extends Pick<Foundation, 'backend' | 'state' | 'instance' | 'secret' | 'proxyEnvironment'> {
  config: Config;
  images: ImageSupply;
  database: Database;
  egress: ContainerEgress;
  metrics: Metrics;
  checkpoint: Checkpoint;
  log: Logger;
}

/** Puts together what functions need. Nothing runs yet. */
export function buildFunctions({
  config,
  backend,
  images,
  state,
  instance,
  secret,
  proxyEnvironment,
  database,
  egress,
  metrics,
  checkpoint,
  log,
}: Given) {
  const { ENABLE_CONTAINER_PAUSE: pauses } = config;
  const store = state.workers;
  const settings = functionSettings(config, backend.kind);
  const registry: FunctionRegistry = new FunctionRegistry({
    functions: database.functions,
    secret,
    settings,
    log,
    onDefined(definition) {
      pools.changed(definition.of, definition);
      lookingAfter.wake();
    },
    onDeleted(of) {
      pools.changed(of, undefined);
      lookingAfter.wake();
    },
  });
  const definitions = () => Array.fromAsync(registry.all());
  const find: FunctionRegistry['find'] = (of) => registry.find(of);
  const held = new HeldWorkers();
  const probe = new WorkerProbe();
  const creation = new WorkerCreation({
    backend,
    egress,
    probe,
    getImage: (image, signal) => images.get(image, (line) => log.info({ image }, line), signal),
    proxyEnv: (worker) => proxyEnvironment.of(worker),
  });
  const connections = new WorkerConnections({
    backend,
    probe,
    onIdleClosed: (worker) =>
      void owner
        .checkIdle(worker)
        .catch((error) => log.debug({ err: error, container_id: worker }, 'not looked at')),
  });
  const ending = new WorkerEnding({
    store,
    creation,
    held,
    instance,
    forget(worker) {
      connections.forget(worker);
      probe.forget(worker);
    },
    checkpoint,
    log,
  });
  const owner: WorkerOwner = new WorkerOwner({ store, backend, ending, find, instance, log });
  const pools = new PoolManager({
    store,
    creation,
    ending,
    held,
    instance,
    totalWorkers: settings.limits.workers,
    checkpoint,
    log,
    onProvisioned: (seconds, outcome) => metrics.workerCreations.observe({ outcome }, seconds),
  });
  const invocations = new Invocations({
    find,
    pools,
    connections,
    exitOf: (worker) => creation.exitOf(worker),
    checkpoint,
    log,
    onEnd(outcome, { coldStart, waitedSeconds }) {
      metrics.invocations.inc({ outcome });
      if (coldStart) metrics.coldStarts.inc();
      metrics.queueSeconds.observe(waitedSeconds);
    },
  });
  const leadership = new Leadership(state.leases, 'functions', instance);
  const janitor = new HeartbeatJanitor({
    store,
    definitions,
    pools,
    connections,
    held,
    creation,
    ending,
    sweep: new RoleSweep(owner, {
      backend,
      // Whoever lives has named what it holds by then, also to a store that has lost everything.
      graceSeconds: Math.max(orphanGraceSeconds(config, backend.kind), INSTANCE_SILENT_SECONDS),
      log,
      onAction: (action, reason) => metrics.sweepActions.inc({ action, reason }),
    }),
    leadership,
    instance,
    settings: {
      pauseAfterSeconds: pauses && backend.capabilities.pause ? config.PAUSE_IDLE_SECONDS : undefined,
    },
    checkpoint,
    log,
    onAction: (action, reason) => metrics.workerActions.inc({ action, reason }),
  });
  const heart = new Loop({
    name: 'beat',
    intervalSeconds: BEAT_SECONDS,
    firstSeconds: 0,
    log,
    runOnce: toldOnce(log, 'the store is away: nobody hears of the calls under way', () => janitor.beat()),
  });
  const lookingAfter = new Loop({
    name: 'janitor',
    intervalSeconds: config.HEARTBEAT_INTERVAL,
    firstSeconds: 0,
    log,
    runOnce: toldOnce(log, 'workers are left as they are for now', () => janitor.runOnce()),
  });
  const workers = new WorkerMetrics({ store, backend, definitions });
  metrics.watchWorkers(() => workers.byState());

  return {
    /** Throws where functions can't be as the operator wants them. */
    registry() {
      if (pauses && !backend.capabilities.pause)
        throw new BerthError(
          'NOT_SUPPORTED',
          `ENABLE_CONTAINER_PAUSE is set, and ${backend.kind} can't pause: unset it, or use docker`,
        );
      return registry;
    },
    settings,
    invocations,
    workers,
    standing: (of: FunctionKey) => pools.standing(of),
    /** Whose way out is to be looked after: those that this instance uses, and all that wait. */
    async running() {
      const { workers } = await store.look().catch(() => ({ workers: [] }));
      return workers.filter(({ state }) => state !== 'terminating').map(({ worker }) => worker);
    },
    start() {
      heart.start();
      lookingAfter.start();
    },
    /** Begins nothing more; calls under way have the grace period. What they have is this instance's until then. */
    async stop() {
      await Promise.all([lookingAfter.stop(), invocations.close(config.GRACE_PERIOD_SECONDS)]);
    },
    /** Ends every worker, for an instance that shares them with no other. */
    async endAll() {
      const found = await backend.list('function');
      await Promise.all(found.map(({ id }) => ending.end(id)));
    },
    async close() {
      await pools.close();
      await heart.stop();
      await leadership.resign().catch(() => {});
      connections.close();
    },
  };
}
