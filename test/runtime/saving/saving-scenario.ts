import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { AgentClient } from '../../../runtime/agent-client/agent-client.ts';
import { type ConversationId, parseConversationId, parseTenantId } from '../../../runtime/contracts/ids.ts';
import { restoreFiles } from '../../../runtime/saving/restore-files.ts';
import { type SaveOptions, type SaveResult, saveFiles } from '../../../runtime/saving/save-files.ts';
import type { FilesOwner } from '../../../runtime/saving/saved-keys.ts';
import { readSavedManifest } from '../../../runtime/saving/saved-manifest.ts';
import {
  directoryUnderTest,
  type OpenStore,
  type StoreUnderTest,
} from '../../contract/object-store/store-under-test.ts';
import { must } from '../../support/must.ts';
import { SpiedStore } from './spied-store.ts';
import { newContainerId, TestContainer } from './test-container.ts';

export const tenant = must(parseTenantId('acme'));
export const newConversation = (): ConversationId => must(parseConversationId(`c.${randomUUID()}`));
export const soon = (): AbortSignal => AbortSignal.timeout(60_000);

/** A conversation with nothing saved, a store, and two containers that have nothing to do with each other yet. */
export class SavingScenario {
  #underTest: StoreUnderTest | undefined;
  #store: SpiedStore | undefined;
  #containers: TestContainer[] = [];
  owner: FilesOwner = { tenant, conversation: newConversation() };

  /** Makes one before each test of the file or block that calls it. */
  static use(open: OpenStore = directoryUnderTest, containers = 2): SavingScenario {
    const scenario = new SavingScenario();
    beforeAll(async () => {
      const starting = Array.from({ length: containers }, () => TestContainer.start());
      scenario.#containers = await Promise.all(starting);
    });
    afterAll(() => Promise.all(scenario.#containers.map((container) => container.stop())));
    beforeEach(async () => {
      scenario.#underTest = await open();
      scenario.#store = new SpiedStore(scenario.#underTest.store);
      scenario.owner = { tenant, conversation: newConversation() };
      for (const container of scenario.#containers) container.renew();
    });
    afterEach(() => scenario.#underTest?.[Symbol.asyncDispose]());
    return scenario;
  }

  get store(): SpiedStore {
    return must(this.#store);
  }

  get one(): TestContainer {
    return must(this.#containers[0]);
  }

  get two(): TestContainer {
    return must(this.#containers[1]);
  }

  save(
    container: TestContainer,
    savedVersion: string | null,
    options: Partial<SaveOptions> = {},
  ): Promise<SaveResult> {
    const owner = { ...this.owner, container: container.id, savedVersion };
    return saveFiles(this.store, owner, container.client, saveOptions(options));
  }

  /** Saves what must be saved; returns the version. */
  async saved(container: TestContainer, savedVersion: string | null = null): Promise<string> {
    return must(savedVersionOf(await this.save(container, savedVersion)));
  }

  /** Saves as a new container whose agent is this one. */
  saveFrom(
    client: AgentClient,
    options: Partial<SaveOptions> & { savedVersion?: string } = {},
  ): Promise<SaveResult> {
    const { savedVersion = null, ...others } = options;
    const owner = { ...this.owner, container: newContainerId(), savedVersion };
    return saveFiles(this.store, owner, client, saveOptions(others));
  }

  restore(container: TestContainer, signal: AbortSignal = soon()): Promise<string | null> {
    return restoreFiles(this.store, this.owner, container.client, { signal });
  }

  /** Paths of what is saved. */
  async savedPaths(): Promise<string[]> {
    const stored = await readSavedManifest(this.store, this.owner);
    return [...(stored?.manifest.files.keys() ?? [])].sort();
  }

  /** Keys of all that is in the store. */
  keys(prefix = 'workspaces/'): Promise<string[]> {
    return Array.fromAsync(this.store.list(prefix), ({ key }) => key);
  }
}

export function savedVersionOf(result: SaveResult): string | undefined {
  return result.kind === 'saved' ? result.version : undefined;
}

function saveOptions(options: Partial<SaveOptions>): SaveOptions {
  return { exclude: [], signal: soon(), now: Date.now(), ...options };
}
