import type { Logger } from 'pino';
import { imageBuildFrom } from '../containers/image-build.ts';
import { ImageSupply } from '../containers/image-supply.ts';
import type { Config } from '../contracts/environment.ts';
import { orphanGraceSeconds } from '../contracts/load-config.ts';
import type { Database } from '../database/database.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';
import { FunctionRegistry } from '../functions/function-registry.ts';
import { functionSettings } from '../functions/function-settings.ts';
import { HeartbeatJanitor } from '../functions/heartbeat-janitor.ts';
import { HeldWorkers } from '../functions/held-workers.ts';
import { Invocations } from '../functions/invocation.ts';
import { PoolManager } from '../functions/pool-manager.ts';
import { WorkerConnections } from '../functions/worker-connections.ts';
import { WorkerCreation } from '../functions/worker-creation.ts';
import { WorkerEnding } from '../functions/worker-ending.ts';
import { WorkerMetrics } from '../functions/worker-metrics.ts';
import { WorkerOwner } from '../functions/worker-owner.ts';
import { Loop } from '../lifecycle/loop.ts';
import { Leadership } from '../sweep/leadership.ts';
import { RoleSweep } from '../sweep/role-sweep.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { VERSION } from '../version.ts';
import type { Foundation } from './open-foundation.ts';

const BEAT_SECONDS = 5;
const OURS = ['function-node', 'function-python'];

interface Given extends Pick<Foundation, 'backend' | 'state' | 'instance' | 'secret'> {
  config: Config;
  env: Record<string, string | undefined>;
  database: Database;
  egress: ContainerEgress;
  metrics: Metrics;
  log: Logger;
}

/** Puts together what functions need. Nothing runs yet. */
export function buildFunctions({
  config,
  env,
  backend,
  state,
  instance,
  secret,
  database,
  egress,
  metrics,
  log,
}: Given) {
  const store = state.workers;
  const settings = functionSettings(config, backend.kind);
  const registry: FunctionRegistry = new FunctionRegistry({
    functions: database.functions,
    secret,
    settings,
    log,
    onDefined(definition) {
      pools.changed(definition.of, definition);
      loops[1].wake();
    },
    onDeleted(of) {
      pools.changed(of, undefined);
      loops[1].wake();
    },
  });
  const definitions = () => Array.fromAsync(registry.all());
  const find: FunctionRegistry['find'] = (of) => registry.find(of);
  const held = new HeldWorkers();
  const images = new ImageSupply({ backend, builds: buildsOfOurs(env) });
  const creation = new WorkerCreation({
    backend,
    egress,
    getImage: (image, signal) => images.get(image, (line) => log.info({ image }, line), signal),
  });
  const connections = new WorkerConnections({
    backend,
    onIdleClosed: (worker) =>
      void owner
        .checkIdle(worker)
        .catch((error) => log.debug({ err: error, container_id: worker }, 'not looked at')),
  });
  const ending = new WorkerEnding({
    store,
    creation,
    held,
    forget: (worker) => connections.forget(worker),
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
    log,
    onProvisioned: (seconds, outcome) => metrics.workerCreations.observe({ outcome }, seconds),
  });
  const invocations = new Invocations({
    find,
    pools,
    connections,
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
    held,
    creation,
    ending,
    sweep: new RoleSweep(owner, {
      backend,
      graceSeconds: orphanGraceSeconds(config, backend.kind),
      log,
      onAction: (action, reason) => metrics.sweepActions.inc({ action, reason }),
    }),
    leadership,
    instance,
    settings: {
      pauseAfterSeconds: config.ENABLE_CONTAINER_PAUSE ? config.PAUSE_IDLE_SECONDS : undefined,
    },
    log,
    onAction: (action, reason) => metrics.workerActions.inc({ action, reason }),
  });
  const loops = [
    new Loop({
      name: 'beat',
      intervalSeconds: BEAT_SECONDS,
      firstSeconds: 0,
      log,
      runOnce: () => janitor.beat(),
    }),
    new Loop({
      name: 'janitor',
      intervalSeconds: config.HEARTBEAT_INTERVAL,
      firstSeconds: 0,
      log,
      runOnce: () => janitor.runOnce(),
    }),
  ] as const;
  const workers = new WorkerMetrics({ store, backend, definitions });
  metrics.watchWorkers(() => workers.byState());

  return {
    registry,
    settings,
    invocations,
    workers,
    /** Whose way out is to be looked after: those that this instance uses, and all that wait. */
    async running() {
      const { workers } = await store.look().catch(() => ({ workers: [] }));
      return workers.filter(({ state }) => state !== 'terminating').map(({ worker }) => worker);
    },
    start() {
      for (const loop of loops) loop.start();
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    /** Ends every worker, for an instance that shares them with no other. */
    async endAll() {
      const found = await backend.list('function');
      await Promise.all(found.map(({ id }) => ending.end(id)));
    },
    async close() {
      images.close();
      await pools.close();
      await leadership.resign().catch(() => {});
      connections.close();
    },
  };
}

/** Where the sources are at hand, our images of this version are built from them. */
function buildsOfOurs(env: Record<string, string | undefined>) {
  return new Map(
    OURS.flatMap((name) => {
      const build = imageBuildFrom(new URL('../../images/build.ts', import.meta.url), name, env);
      return build === undefined ? [] : [[`${name}:${VERSION}`, build] as const];
    }),
  );
}
