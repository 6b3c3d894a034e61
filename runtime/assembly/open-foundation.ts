import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../contracts/environment.ts';
import { ProxyEnvironment } from '../egress-host/proxy-environment.ts';
import type { ClosingStack } from '../lifecycle/closing-stack.ts';
import { DataDirectory } from '../lifecycle/data-directory.ts';
import { chooseBackend } from './choose-backend.ts';
import { conversationSettings } from './conversation-settings.ts';
import { loadIdentity } from './load-identity.ts';
import { openObjectStore } from './open-object-store.ts';
import { openState } from './open-store.ts';

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** What every program of an installation stands on: who it is, where containers run, and the stores. */
export async function openFoundation(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  closing: ClosingStack,
) {
  const data = new DataDirectory(config.BERTH_DATA_DIR);
  closing.add('data directory', () => data[Symbol.dispose]());
  const { installation, secret } = loadIdentity(config, data);
  const state = await openState(config, log);
  closing.add('store', () => state.close());
  const backend = await chooseBackend({
    config,
    data,
    installation,
    searchPath: env.PATH ?? '',
    tasks: state.tasks,
    log,
  });
  closing.add('backend', () => backend.close());
  const objects = await openObjectStore(config, data, env);
  closing.add('object store', () => objects.close());
  return {
    data,
    installation,
    secret,
    backend,
    state,
    objects,
    proxyEnvironment: new ProxyEnvironment(secret, config),
    settings: conversationSettings(config, backend.kind),
    /** Names this process among the instances. */
    instance: randomBytes(6).toString('hex'),
  };
}
