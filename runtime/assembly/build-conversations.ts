import type { Logger } from 'pino';
import { AgentClients } from '../agent-client/agent-clients.ts';
import type { ImagePreparation } from '../containers/image-preparation.ts';
import type { Config } from '../contracts/environment.ts';
import { isBerthError } from '../contracts/errors.ts';
import { warmPoolSizes } from '../contracts/load-config.ts';
import { ActiveWork } from '../conversations/active-work.ts';
import { type Acquired, ContainerAcquisition } from '../conversations/container-acquisition.ts';
import { ContainerCreation } from '../conversations/container-creation.ts';
import { ContainerEnding } from '../conversations/container-ending.ts';
import { ContainerPreparation } from '../conversations/container-preparation.ts';
import { ContainerRetirement } from '../conversations/container-retirement.ts';
import { containerMake } from '../conversations/conversation-container.ts';
import { ConversationEgress } from '../conversations/conversation-egress.ts';
import { ConversationExpiry } from '../conversations/conversation-expiry.ts';
import { ConversationRemoval } from '../conversations/conversation-removal.ts';
import { ConversationTerminals } from '../conversations/conversation-terminals.ts';
import { ConversationWork } from '../conversations/conversation-work.ts';
import { Conversations } from '../conversations/conversations.ts';
import { CrashRecovery } from '../conversations/crash-recovery.ts';
import { ExecutionConclusion } from '../conversations/executions/execution-conclusion.ts';
import { Executions } from '../conversations/executions/executions.ts';
import { Relays } from '../conversations/executions/relays.ts';
import { FileSaving } from '../conversations/file-saving.ts';
import { OwnOrEarlier } from '../conversations/own-or-earlier.ts';
import type { SavedFiles } from '../conversations/saved-files.ts';
import { WarmPool } from '../conversations/warm-pool.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';
import type { EgressRules } from '../egress-host/egress-rules.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import type { RecentActivity } from '../overview/recent-activity.ts';
import { WaitingClaims } from '../pool/waiting-claims.ts';
import { listSavedFiles, readSavedFile } from '../saving/saved-files.ts';
import { Adoption } from '../sweep/adoption.ts';
import { Inquiry } from '../sweep/testimony.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Foundation } from './open-foundation.ts';

interface Given extends Omit<Foundation, 'data' | 'installation'> {
  config: Config;
  egress: ContainerEgress;
  rules: EgressRules;
  images: ImagePreparation;
  metrics: Metrics;
  activity: RecentActivity;
  checkpoint: Checkpoint;
  log: Logger;
}

export type ConversationParts = ReturnType<typeof buildConversations>;

/** Puts together all that makes conversations. Nothing runs yet. */
export function buildConversations(given: Given) {
  const { config, settings, backend, state, objects, images, secret, metrics, checkpoint, instance, log } =
    given;
  const { egress, rules, proxyEnvironment, activity } = given;
  const store = state.conversations;
  const pool = warmPoolSizes(config, backend.kind);
  const agents = new AgentClients(backend, secret);
  const active = new ActiveWork();

  const ending: ContainerEnding = new ContainerEnding({
    store,
    backend,
    agents,
    egress,
    checkpoint,
    log,
    onEnding: (container) => saving.forget(container),
  });
  const saving = new FileSaving({
    store,
    objects,
    agents,
    settings,
    checkpoint,
    log,
    onStale: (container) => ending.end(container, 0),
    onError: (direction) => metrics.syncErrors.inc({ direction }),
    onPurged: (owner) => rules.settings.forget(owner),
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
  const retirement = new ContainerRetirement({
    store,
    saving,
    ending,
    recovery,
    settings,
    checkpoint,
    log,
    onUnsaved(record) {
      metrics.unsaved.inc();
      activity.unsaved(record);
    },
  });

  const creation = new ContainerCreation({
    backend,
    agents,
    secret,
    proxyEnv: (container) => proxyEnvironment.of(container),
    settings,
    images,
    onStarted: (seconds) => metrics.startupSeconds.observe(seconds),
  });
  const waiting = new WaitingClaims();
  const warmPool = new WarmPool({
    store: state.warmPool,
    members: {
      async create(container, signal) {
        await checkpoint('pool.reserved');
        await creation.create(container, undefined, signal).catch((error) => {
          if (isBerthError(error, 'IMAGE_PULL_FAILED')) images.lost();
          throw error;
        });
      },
      async prove(container, signal) {
        await creation.prove(container, signal);
        await egress.open(container, undefined);
        await checkpoint('pool.created');
      },
      destroy: (container) => ending.destroy(container, 0),
      isReady: () => images.isReady,
    },
    settings: {
      image: containerMake(settings, proxyEnvironment.ofNobody()),
      manager: settings.backend,
      sizes: { min: pool.min, max: pool.max },
      ttlSeconds: config.WARM_POOL_TTL_SECONDS,
      maxContainers: settings.maxContainers,
      parallel: pool.parallel,
    },
    instance,
    log,
    onAdded: () => waiting.look(),
    metrics: {
      added() {
        metrics.warmPoolCreations.inc({ result: 'added' });
        void checkpoint('pool.added');
      },
      failed: () => metrics.warmPoolCreations.inc({ result: 'failed' }),
      removed: (reason) => metrics.warmPoolRemovals.inc({ reason }),
    },
  });
  const onAcquired = ({ record, source, exhausted, seconds }: Acquired) => {
    metrics.acquireSeconds.observe({ source }, seconds);
    activity.acquired(source, record, seconds);
    if (source === 'existing') return;
    if (exhausted) metrics.warmPoolExhausted.inc();
    else metrics.warmPoolAcquireSeconds.observe(seconds);
    warmPool.wake();
  };

  const inquiry = new Inquiry(backend, secret);
  const adoption = new Adoption({
    store: state.adoption,
    leases: state.leases,
    backend,
    inquiry,
    settings,
    instance,
    log,
    onAction: (action, reason) => metrics.sweepActions.inc({ action, reason }),
  });
  const preparation = new ContainerPreparation({
    store,
    creation: new OwnOrEarlier({
      store,
      creation,
      startsSlowly: backend.capabilities.startsSlowly === true,
      waiting,
      pool: warmPool,
      instance,
    }),
    agents,
    secret,
    settings,
    ending,
    egress,
    restore: (record, proof, signal) => saving.restore(record, proof, signal),
    images,
    checkpoint,
    log,
  });
  const acquisition = new ContainerAcquisition({
    store,
    preparation,
    retirement,
    settings,
    adoption,
    instance,
    onAcquired,
  });

  const ownEgress = new ConversationEgress({ store, rules, egress });
  const conclusion = new ExecutionConclusion({
    store,
    saving,
    ending,
    recovery,
    acquisition,
    settings,
    checkpoint,
    log,
  });
  const relays = new Relays({
    store,
    executions: state.executions,
    agents,
    recovery,
    conclusion,
    checkpoint,
    instance,
    log,
    onEnd(status, execution) {
      metrics.executions.inc({ status });
      activity.executionEnded(execution, status);
    },
  });
  const executions = new Executions({
    executions: state.executions,
    relays,
    agents,
    active,
    acquisition,
    egress: ownEgress,
    recovery,
    saving,
    settings,
    checkpoint,
    log,
  });
  const work = new ConversationWork({ store, agents, active, acquisition, recovery, saving, settings });
  const terminals = new ConversationTerminals({ store, work });
  const saved: SavedFiles = {
    isAnything: async (of) =>
      (await listSavedFiles(objects, of)) !== undefined || (await rules.settings.of(of)) !== undefined,
    list: (of) => listSavedFiles(objects, of),
    read: (of, path) => readSavedFile(objects, of, path),
  };
  const removal = new ConversationRemoval({
    store,
    active,
    executions,
    saving,
    saved,
    ending,
    retirement,
    settings,
    log,
  });
  const conversations = new Conversations({
    store,
    work,
    active,
    executions,
    saving,
    saved,
    removal,
    settings,
  });
  const expiry = new ConversationExpiry({ store, ending, retirement, settings, log });
  return {
    agents,
    acquisition,
    ending,
    recovery,
    warmPool,
    inquiry,
    adoption,
    relays,
    executions,
    conversations,
    terminals,
    egress: ownEgress,
    removal,
    expiry,
  };
}
