import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Berth, type BerthOptions } from '../../../runtime/client/index.ts';
import { HttpRelay } from '../../support/http-relay.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';

/** A runtime whose containers are child processes, a relay before it, and clients of either. */
export class ClientSetting implements AsyncDisposable {
  readonly runtime: RuntimeProcess;
  readonly relay: HttpRelay;

  private constructor(runtime: RuntimeProcess, relay: HttpRelay) {
    this.runtime = runtime;
    this.relay = relay;
  }

  static async open(env: Record<string, string> = {}): Promise<ClientSetting> {
    const runtime = await RuntimeProcess.start({
      // Without bwrap, too: what is tested is on this side of the API.
      env: { CONTAINER_MANAGER_TYPE: 'process', BERTH_ALLOW_UNISOLATED: '1', ...env },
    });
    return new ClientSetting(runtime, await HttpRelay.open(runtime.url));
  }

  get key(): string {
    return this.runtime.developmentKey;
  }

  /** By way of the relay, and in a hurry. */
  client(options: Partial<BerthOptions> = {}): Berth {
    return new Berth({ url: this.relay.url, key: this.key, backoffMs: 1, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]();
    await this.runtime[Symbol.asyncDispose]();
  }
}

/** One for the tests of a file; the relay passes everything at the beginning of each. */
export function settingOfFile(env: Record<string, string> = {}): () => ClientSetting {
  let setting: ClientSetting | undefined;
  beforeAll(async () => {
    setting = await ClientSetting.open(env);
  });
  beforeEach(() => {
    if (setting === undefined) return;
    setting.relay.fate = () => 'pass';
    setting.relay.requests.length = 0;
  });
  afterAll(() => setting?.[Symbol.asyncDispose]());
  return () => {
    if (setting === undefined) throw new Error('It is opened before the first test.');
    return setting;
  };
}
