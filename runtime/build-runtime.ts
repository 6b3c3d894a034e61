import type { Logger } from 'pino';
import { afterProxyRestart } from './assembly/after-proxy-restart.ts';
import { buildConversations } from './assembly/build-conversations.ts';
import { buildEgress } from './assembly/build-egress.ts';
import { buildFunctions } from './assembly/build-functions.ts';
import { buildOverview } from './assembly/build-overview.ts';
import { buildSweep } from './assembly/build-sweep.ts';
import { buildWorkspaces } from './assembly/build-workspaces.ts';
import { loadKeys } from './assembly/load-keys.ts';
import { openDatabase } from './assembly/open-database.ts';
import { openFoundation } from './assembly/open-foundation.ts';
import { startLoops } from './assembly/start-loops.ts';
import type { ContainerBackend } from './containers/container-backend.ts';
import { buildsOfOurs, imageBuildFrom } from './containers/image-build.ts';
import { ImagePreparation } from './containers/image-preparation.ts';
import { ImageSupply } from './containers/image-supply.ts';
import type { Config } from './contracts/environment.ts';
import { BerthError } from './contracts/errors.ts';
import { endLeftovers } from './conversations/leftovers.ts';
import { createApp } from './http/app.ts';
import { containerRoutes } from './http/routes/container-routes.ts';
import { conversationRoutes } from './http/routes/conversation-routes.ts';
import { documentationRoutes } from './http/routes/documentation-routes.ts';
import { egressRoutes } from './http/routes/egress-routes.ts';
import { execRoutes } from './http/routes/exec-routes.ts';
import { executionRoutes } from './http/routes/execution-routes.ts';
import { fileRoutes } from './http/routes/file-routes.ts';
import { functionMetricsRoutes } from './http/routes/function-metrics-routes.ts';
import { functionRoutes } from './http/routes/function-routes.ts';
import { invokeRoutes } from './http/routes/invoke-routes.ts';
import { operationsRoutes } from './http/routes/operations-routes.ts';
import { overviewRoutes } from './http/routes/overview-routes.ts';
import { terminalRoutes } from './http/routes/terminal-routes.ts';
import { warmPoolRoutes } from './http/routes/warm-pool-routes.ts';
import { workspaceRoutes } from './http/routes/workspace-routes.ts';
import { HttpServer } from './http/server.ts';
import { Upgrades } from './http/upgrades.ts';
import { type Checkpoint, noCheckpoint } from './lifecycle/checkpoint.ts';
import { ClosingStack } from './lifecycle/closing-stack.ts';
import { Readiness } from './lifecycle/readiness.ts';
import { RecentActivity } from './overview/recent-activity.ts';
import { Metrics } from './telemetry/metrics.ts';
import { VERSION } from './version.ts';

/** Builds images from their sources, where those are at hand. */
const IMAGE_BUILDER = new URL('../images/build.ts', import.meta.url);

export interface Runtime {
  url: string;
  /** The development key, when no keys are configured. */
  developmentKey: string | undefined;
  backend: ContainerBackend['kind'];
  close(): Promise<void>;
}

/** Puts the runtime together and starts it. What was opened before a failure is closed again. */
export async function buildRuntime(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  checkpoint: Checkpoint = noCheckpoint,
): Promise<Runtime> {
  const closing = new ClosingStack();
  try {
    return await build(config, env, log, checkpoint, closing);
  } catch (error) {
    await closing.close(log);
    throw error;
  }
}

async function build(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  checkpoint: Checkpoint,
  closing: ClosingStack,
): Promise<Runtime> {
  const foundation = await openFoundation(config, env, log, closing);
  const { data, backend, state, objects, settings } = foundation;
  const egress = buildEgress({ ...foundation, config, env, log });
  closing.add('egress proxy', () => egress.close());
  const { ring, developmentKey, watch: keyFile } = loadKeys(config, data, log);
  closing.add('key file', () => keyFile?.[Symbol.dispose]());
  const metrics = new Metrics(async () => {
    const { reserved, live, warm } = await state.conversations.count();
    return reserved + live + warm;
  });
  const images = new ImagePreparation({
    backend,
    image: settings.image,
    build:
      config.WORKSPACE_IMAGE === undefined ? imageBuildFrom(IMAGE_BUILDER, 'workspace-base', env) : undefined,
    log,
  });
  const activity = new RecentActivity();
  const parts = buildConversations({
    ...foundation,
    egress: egress.containers,
    rules: egress.rules,
    config,
    images,
    metrics,
    activity,
    checkpoint,
    log,
  });
  const { conversations, executions, terminals, warmPool } = parts;
  const database = await openDatabase({
    url: config.DATABASE_URL,
    dataDir: data.path,
    onError: (error) => log.warn({ problem: error.message }, 'the database is away'),
  });
  closing.add('database', () => database.close());
  const supply = new ImageSupply({ backend, builds: buildsOfOurs(IMAGE_BUILDER, env) });
  let url = '';
  const { volumes } = backend;
  const workspaces =
    volumes &&
    buildWorkspaces({
      ...foundation,
      egress: egress.containers,
      config,
      volumes,
      images: supply,
      database,
      ring,
      address: () => config.PUBLIC_URL ?? url,
      metrics,
      checkpoint,
      log,
    });
  closing.add('workspaces', () => workspaces?.close());
  const functions = buildFunctions({
    ...foundation,
    egress: egress.containers,
    config,
    images: supply,
    database,
    metrics,
    checkpoint,
    log,
  });
  closing.add('functions', () => functions.close());
  closing.add('builds of images that users name', () => supply.close());
  metrics.watchWarmPool(() => warmPool.view());
  closing.add('agent connections', () => parts.agents.close());
  metrics.watchEgress(egress.totals, () => egress.count());
  const egressWatch = egress.watch(
    (container, open) => {
      afterProxyRestart(parts, state, container, open).catch((error) =>
        log.warn(
          { err: error, container_id: container },
          'a container without a way out could not be replaced yet',
        ),
      );
    },
    async () => [...((await workspaces?.running()) ?? []), ...(await functions.running())],
  );
  closing.add('egress watch', () => egressWatch.close());
  await egress.start();

  // Children are their parent's alone: what an earlier run left of them is nobody's.
  if (backend.kind === 'process') {
    await endLeftovers(backend, log);
    await workspaces?.endAll();
    await functions.endAll();
  }
  // Without a shared store nobody else knows these containers.
  const containersAreOurs = config.REDIS_URL === undefined || backend.kind === 'process';
  if (containersAreOurs) {
    await parts.adoption.run();
    if (backend.kind !== 'process') await functions.endAll(); // an earlier run's: nobody knows what they do
    closing.add('containers of workspaces', () => workspaces?.endAll());
    closing.add('workers of functions', () => functions.endAll());
    closing.add('containers', async () => {
      // What could not be saved is kept for the next start to adopt; children can't be.
      const unsaved = await parts.removal.endAll();
      if (backend.kind === 'process') metrics.unsaved.inc(unsaved.size);
      await endLeftovers(backend, log, backend.kind === 'process' ? undefined : unsaved);
    });
  }
  const sweep = buildSweep({ ...foundation, config, parts, metrics, log });
  closing.add('sweep', () => sweep.close());
  closing.add('warm pool', () => warmPool.close());

  const readiness = new Readiness();
  readiness.add('backend', () => backend.ping());
  readiness.add('store', () => state.ping());
  // Live conversations go on without these, and no other instance has better ones.
  readiness.add('database', () => database.ping(), { vital: false });
  readiness.add('objects', () => objects.ping(), { vital: false });
  readiness.add('image', async () => images.require());
  const overview = buildOverview({
    ...foundation,
    activity,
    egress,
    conversations: parts,
    database: workspaces && database,
    functions,
    sweep,
    readiness,
    log,
  });
  const routes = [
    ...overviewRoutes(overview.feed),
    ...executionRoutes(executions, settings.executionTimeout),
    ...execRoutes(conversations, settings.executionTimeout),
    ...terminalRoutes({ terminals, ring, publicUrl: config.PUBLIC_URL }),
    ...fileRoutes(conversations),
    ...conversationRoutes(conversations),
    ...egressRoutes(parts.egress, overview.refusalsOf),
    ...workspaceRoutes(() => workspaces?.service ?? refuseWorkspaces(backend.kind)),
    ...functionRoutes({ registry: () => functions.registry(), settings: functions.settings }),
    ...invokeRoutes(() => functions.invocations),
    ...functionMetricsRoutes(functions.workers),
    ...warmPoolRoutes({ pool: warmPool, maxContainers: settings.maxContainers, log }),
    ...containerRoutes({
      inventory: sweep.inventory,
      backend,
      kill: (container) => sweep.kill(container),
      sweep: (request) => sweep.reconcile.runOnce(request),
      log,
    }),
    ...operationsRoutes({ version: VERSION, readiness, metrics, ring }),
  ];
  routes.push(...documentationRoutes(routes, VERSION, config.PUBLIC_URL));
  const app = createApp({ routes, ring, log, metrics, trustedProxies: config.TRUSTED_PROXIES });
  const server = new HttpServer(app, workspaces?.proxy, new Upgrades(app, routes));
  closing.add('image build', () => images.close());
  await images.look();
  url = await server.listen(config.HOST, config.PORT);
  closing.add('open connections', () => server.close());
  closing.add('connections to workspaces', () => workspaces?.proxy.close());
  const loops = startLoops({ config, parts, sweep, egress: egressWatch, metrics, log });
  workspaces?.coordinator.start();
  functions.start();
  closing.add('calls of functions', () => callsOver ?? functions.stop());
  closing.add('coordinator', () => workspaces?.coordinator.stop());
  closing.add('turns under way', () => loops.over());
  let callsOver: Promise<void> | undefined;
  closing.add('work in flight', async () => {
    callsOver = functions.stop(); // at the same time: the grace period is one for all
    terminals.close();
    await conversations.close({ handOver: !containersAreOurs });
  });
  closing.add('loops', () => {
    loops.stop();
    sweep.blobs.stop();
  });
  closing.add('overview', () => overview.close());
  closing.add('server', () => server.stopAccepting());
  void images.start().then(() => warmPool.wake());
  return { url, developmentKey, backend: backend.kind, close: () => closing.close(log) };
}

function refuseWorkspaces(backend: ContainerBackend['kind']): never {
  const detail = `there are no workspaces on ${backend}: set ECS_EFS_FILE_SYSTEM and ECS_WORKSPACE_TASK_DEFINITION`;
  throw new BerthError('NOT_SUPPORTED', detail);
}
