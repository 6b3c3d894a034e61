import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { AgentClients } from './agent-client/agent-clients.ts';
import { chooseBackend } from './assembly/choose-backend.ts';
import { loadIdentity } from './assembly/load-identity.ts';
import { loadKeys } from './assembly/load-keys.ts';
import { openStore } from './assembly/open-store.ts';
import type { ContainerBackend } from './containers/container-backend.ts';
import { imageBuildFrom } from './containers/image-build.ts';
import { ImagePreparation } from './containers/image-preparation.ts';
import type { Config } from './contracts/environment.ts';
import { maxContainers } from './contracts/load-config.ts';
import { ActiveWork } from './conversations/active-work.ts';
import { ContainerAcquisition } from './conversations/container-acquisition.ts';
import { ContainerEnding } from './conversations/container-ending.ts';
import { ContainerPreparation } from './conversations/container-preparation.ts';
import { ConversationExpiry } from './conversations/conversation-expiry.ts';
import type { ConversationSettings } from './conversations/conversation-settings.ts';
import { ConversationWork } from './conversations/conversation-work.ts';
import { Conversations } from './conversations/conversations.ts';
import { CrashRecovery } from './conversations/crash-recovery.ts';
import { endLeftovers } from './conversations/leftovers.ts';
import { createApp } from './http/app.ts';
import { conversationRoutes } from './http/routes/conversation-routes.ts';
import { documentationRoutes } from './http/routes/documentation-routes.ts';
import { execRoutes } from './http/routes/exec-routes.ts';
import { fileRoutes } from './http/routes/file-routes.ts';
import { operationsRoutes } from './http/routes/operations-routes.ts';
import { HttpServer } from './http/server.ts';
import { ClosingStack } from './lifecycle/closing-stack.ts';
import { DataDirectory } from './lifecycle/data-directory.ts';
import { Loop } from './lifecycle/loop.ts';
import { Readiness } from './lifecycle/readiness.ts';
import { Metrics } from './telemetry/metrics.ts';
import { VERSION } from './version.ts';

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
): Promise<Runtime> {
  const closing = new ClosingStack();
  try {
    return await build(config, env, log, closing);
  } catch (error) {
    await closing.close(log);
    throw error;
  }
}

async function build(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  closing: ClosingStack,
): Promise<Runtime> {
  const data = new DataDirectory(config.BERTH_DATA_DIR);
  closing.add('data directory', () => data[Symbol.dispose]());
  const { installation, secret } = loadIdentity(config, data);
  const { ring, developmentKey, watch } = loadKeys(config, data, log);
  closing.add('key file', () => watch?.[Symbol.dispose]());
  const backend = await chooseBackend(config, data, installation, env.PATH ?? '', log);
  closing.add('backend', () => backend.close());
  const store = await openStore(config, log);
  closing.add('store', () => store.close());

  const settings: ConversationSettings = {
    version: VERSION,
    image: config.WORKSPACE_IMAGE ?? `workspace-base:${VERSION}`,
    backend: backend.kind,
    maxContainers: maxContainers(config, backend.kind),
    ttl: {
      idleSeconds: config.CONTAINER_TTL_SECONDS,
      maxLifetimeSeconds: config.CONTAINER_MAX_LIFETIME_SECONDS,
    },
    executionTimeout: config.EXECUTION_TIMEOUT_SECONDS,
    gracePeriod: config.GRACE_PERIOD_SECONDS,
  };
  const metrics = new Metrics(async () => {
    const { reserved, live } = await store.count();
    return reserved + live;
  });
  const images = new ImagePreparation({
    backend,
    image: settings.image,
    build:
      config.WORKSPACE_IMAGE === undefined
        ? imageBuildFrom(new URL('../images/build.ts', import.meta.url), 'workspace-base', env)
        : undefined,
    log,
  });

  const agents = new AgentClients(backend, secret);
  closing.add('agent connections', () => agents.close());
  const active = new ActiveWork();
  const ending = new ContainerEnding(store, backend, agents);
  const preparation = new ContainerPreparation({
    store,
    backend,
    agents,
    secret,
    settings,
    ending,
    log,
    images,
    onStarted: (seconds) => metrics.startupSeconds.observe(seconds),
  });
  const acquisition = new ContainerAcquisition({
    store,
    preparation,
    ending,
    settings,
    instance: randomBytes(6).toString('hex'),
  });
  const recovery = new CrashRecovery({
    store,
    backend,
    agents,
    secret,
    ending,
    log,
    onCrash: () => metrics.crashes.inc(),
  });
  const work = new ConversationWork({ store, agents, active, acquisition, recovery, settings });
  const conversations = new Conversations({ store, work, active, ending, settings, log });

  // Without a shared store nobody else knows these containers, and children are their parent's alone:
  // what an earlier run left is nobody's.
  const containersAreOurs = config.REDIS_URL === undefined || backend.kind === 'process';
  if (containersAreOurs) {
    await endLeftovers(backend, log);
    closing.add('containers', () => endLeftovers(backend, log));
  }
  const expiry = new ConversationExpiry({ store, ending, settings, log });
  const loop = new Loop({
    name: 'expiry',
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
  });
  loop.start();
  closing.add('expiry loop', () => loop.stop());

  const readiness = new Readiness();
  readiness.add('backend', () => backend.ping());
  readiness.add('store', () => store.ping());
  readiness.add('image', async () => images.require());
  const routes = [
    ...execRoutes(conversations, settings.executionTimeout),
    ...fileRoutes(conversations),
    ...conversationRoutes(conversations),
    ...operationsRoutes({ version: VERSION, readiness, metrics, ring }),
  ];
  routes.push(...documentationRoutes(routes, VERSION, config.PUBLIC_URL));
  const server = new HttpServer(
    createApp({ routes, ring, log, metrics, trustedProxies: config.TRUSTED_PROXIES }),
  );
  closing.add('image build', () => images.close());
  await images.look();
  const url = await server.listen(config.HOST, config.PORT);
  closing.add('open connections', () => server.close());
  closing.add('work in flight', () => conversations.close());
  closing.add('server', () => server.stopAccepting());
  void images.start();
  return { url, developmentKey, backend: backend.kind, close: () => closing.close(log) };
}
