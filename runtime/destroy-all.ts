import type { Logger } from 'pino';
import { buildConversations } from './assembly/build-conversations.ts';
import { egressService } from './assembly/build-egress.ts';
import { egressRules } from './assembly/egress-rules.ts';
import { openFoundation } from './assembly/open-foundation.ts';
import type { ContainerBackend } from './containers/container-backend.ts';
import { ImagePreparation } from './containers/image-preparation.ts';
import type { Config } from './contracts/environment.ts';
import { noEgress } from './egress-host/container-egress.ts';
import { noCheckpoint } from './lifecycle/checkpoint.ts';
import { ClosingStack } from './lifecycle/closing-stack.ts';
import { RecentActivity } from './overview/recent-activity.ts';
import type { WorkerStore } from './state/worker-store.ts';
import { allRecords } from './sweep/all-records.ts';
import { Metrics } from './telemetry/metrics.ts';

export interface Installation extends AsyncDisposable {
  name: string;
  /** What the backend has of it that is to go: containers, and homes where nothing is to stay. */
  count(purge: boolean): Promise<number>;
  /** Resolves with how many are left. */
  destroyAll(purge: boolean, say: (line: string) => void): Promise<number>;
}

/** An installation without its service, to be cleared away. */
export async function openInstallation(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
): Promise<Installation> {
  const closing = new ClosingStack();
  try {
    return await open(config, env, log, closing);
  } catch (error) {
    await closing.close(log);
    throw error;
  }
}

async function open(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  closing: ClosingStack,
): Promise<Installation> {
  const foundation = await openFoundation(config, env, log, closing);
  const { installation, backend, state, settings } = foundation;
  // The proxies on this machine go with their runtimes; the service would keep the rules of what is gone.
  const service = egressService({ ...foundation, config });
  const { agents, adoption, removal, ending } = buildConversations({
    ...foundation,
    config,
    egress: service
      ? { ...noEgress, stop: async (container) => void (await service.remove(container)) }
      : noEgress,
    rules: egressRules({ ...foundation, config }),
    images: new ImagePreparation({ backend, image: settings.image, build: undefined, log }),
    metrics: new Metrics(async () => 0),
    activity: new RecentActivity(),
    checkpoint: noCheckpoint,
    log,
  });
  closing.add('agent connections', () => agents.close());

  return {
    name: installation,
    count: (purge) => count(backend, purge),
    async destroyAll(purge, say) {
      await adoption.run();
      for await (const { tenant, conversation } of allRecords(state.conversations)) {
        say(`ending ${tenant}/${conversation}`);
        await removal.remove(tenant, conversation, purge).catch((error) => say(`  not yet: ${error}`));
      }
      await removal.over();
      const kept = new Set<string>(); // what could not be saved keeps its container
      for await (const { container } of allRecords(state.conversations)) kept.add(container);
      for (const { id } of await backend.list('conversation')) {
        if (kept.has(id)) continue;
        say(`ending ${id}`);
        await state.warmPool.remove({ container: id, stopSeconds: 0 });
        await ending.destroy(id, 0).catch((error) => say(`  not yet: ${error}`));
      }
      await ending.over();
      await endWorkspaces(backend, purge, say);
      await endWorkers(backend, state.workers, say);
      await backend.clearUp?.();
      return count(backend, purge);
    },
    [Symbol.asyncDispose]: () => closing.close(log),
  };
}

async function count(backend: ContainerBackend, purge: boolean): Promise<number> {
  const roles = ['conversation', 'workspace', 'function'] as const;
  const lists = await Promise.all([
    ...roles.map((role) => backend.list(role)),
    purge ? (backend.volumes?.list() ?? []) : [],
  ]);
  return lists.flat().length;
}

async function endWorkers(
  backend: ContainerBackend,
  store: WorkerStore,
  say: (line: string) => void,
): Promise<void> {
  for (const { id } of await backend.list('function')) {
    say(`ending ${id}`);
    await backend.destroy(id, { stopSeconds: 0 }).catch((error) => say(`  not yet: ${error}`));
  }
  // What the store still has of them is nobody's.
  const holder = { instance: 'destroy-all', lease: 'destroy-all', seconds: 60 };
  const { workers } = await store.look();
  for (const { worker, since } of workers) await store.retire(worker, since, 0, holder);
  for (const { worker } of workers) await store.gone(worker);
}

/** Their homes stay, unless everything is to go. */
async function endWorkspaces(
  backend: ContainerBackend,
  purge: boolean,
  say: (line: string) => void,
): Promise<void> {
  const notYet = (error: unknown) => say(`  not yet: ${error}`);
  for (const { id } of await backend.list('workspace')) {
    say(`ending ${id}`);
    await backend.destroy(id, { stopSeconds: 0 }).catch(notYet);
  }
  if (!purge || backend.volumes === undefined) return;
  for (const name of await backend.volumes.list()) {
    say(`removing ${name}`);
    await backend.volumes.delete(name).catch(notYet);
  }
}
