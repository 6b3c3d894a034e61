import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildConversations } from '../../runtime/assembly/build-conversations.ts';
import { buildEgress } from '../../runtime/assembly/build-egress.ts';
import { conversationSettings } from '../../runtime/assembly/conversation-settings.ts';
import { egressRules } from '../../runtime/assembly/egress-rules.ts';
import type { ContainerBackend } from '../../runtime/containers/container-backend.ts';
import { ImagePreparation } from '../../runtime/containers/image-preparation.ts';
import { parseInstallationId } from '../../runtime/contracts/ids.ts';
import { loadConfig } from '../../runtime/contracts/load-config.ts';
import type { ConversationSettings } from '../../runtime/conversations/conversation-settings.ts';
import { noEgress } from '../../runtime/egress-host/container-egress.ts';
import { ProxyEnvironment } from '../../runtime/egress-host/proxy-environment.ts';
import { InstallationSecret } from '../../runtime/identity/installation-secret.ts';
import { noCheckpoint } from '../../runtime/lifecycle/checkpoint.ts';
import { DirectoryObjectStore } from '../../runtime/objects/directory/directory-object-store.ts';
import type { ObjectStore } from '../../runtime/objects/object-store.ts';
import { RecentActivity } from '../../runtime/overview/recent-activity.ts';
import { openMemoryState } from '../../runtime/state/memory/open-memory-state.ts';
import type { State } from '../../runtime/state/state.ts';
import { Metrics } from '../../runtime/telemetry/metrics.ts';
import { must } from './must.ts';

export interface PartsOptions {
  backend: ContainerBackend;
  /** For what has to be kept. */
  folder: string;
  env?: Record<string, string>;
  settings?: Partial<ConversationSettings>;
  state?: State;
  objects?: ObjectStore;
  secret?: InstallationSecret;
  /** Whether containers get their egress proxy; else nothing gets out. Close it with `proxy.close`. */
  withProxy?: boolean;
}

/** All that makes conversations, around a backend of the test's own, without the HTTP service and its loops. */
export async function conversationParts(options: PartsOptions) {
  const { backend, folder, env = {} } = options;
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.problems.join('; '));
  const { config } = loaded;
  const log = pino({ level: 'silent' });
  const settings = { ...conversationSettings(config, backend.kind), ...options.settings };
  const state = options.state ?? openMemoryState();
  const objects = options.objects ?? (await DirectoryObjectStore.open(join(folder, 'objects')));
  const images = new ImagePreparation({ backend, image: settings.image, build: undefined, log });
  await images.look();
  const secret = options.secret ?? new InstallationSecret(randomBytes(32));
  const instance = randomBytes(6).toString('hex');
  const installation = must(parseInstallationId('test'));
  const proxy = options.withProxy
    ? buildEgress({ config, env: process.env, backend, installation, state, objects, secret, instance, log })
    : undefined;
  const parts = buildConversations({
    config,
    egress: proxy?.containers ?? noEgress,
    rules: proxy?.rules ?? egressRules({ config, state, objects, secret }),
    settings,
    backend,
    state,
    objects,
    images,
    secret,
    proxyEnvironment: new ProxyEnvironment(secret, config),
    metrics: new Metrics(async () => 0),
    activity: new RecentActivity(),
    checkpoint: noCheckpoint,
    instance,
    log,
  });
  return { ...parts, state, objects, settings, proxy };
}
