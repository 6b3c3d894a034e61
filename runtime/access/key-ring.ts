import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { type ApiKey, findApiKey, parseApiKeys } from './api-key.ts';

const LOOK_EVERY_MS = 500;

class Use implements Disposable {
  readonly key: ApiKey;
  readonly onRevoked: () => void;
  readonly #all: Set<Use>;

  constructor(key: ApiKey, onRevoked: () => void, all: Set<Use>) {
    this.key = key;
    this.onRevoked = onRevoked;
    this.#all = all;
  }

  [Symbol.dispose](): void {
    this.#all.delete(this);
  }
}

/** The keys in force. A key that is taken back ends what is being done with it. */
export class KeyRing {
  #keys: readonly ApiKey[];
  readonly #inUse = new Set<Use>();

  constructor(keys: readonly ApiKey[]) {
    this.#keys = keys;
  }

  find(presented: string): ApiKey | undefined {
    return findApiKey(this.#keys, presented);
  }

  /** The key that was found before, if it is still in force. */
  withHash(sha256: string): ApiKey | undefined {
    return this.#keys.find((key) => key.sha256 === sha256);
  }

  /** How many tenants have a key. */
  get tenants(): number {
    return new Set(this.#keys.map(({ tenant }) => tenant)).size;
  }

  /** `onRevoked` is called when the key is taken back before `Symbol.dispose`, once. */
  use(key: ApiKey, onRevoked: () => void): Disposable {
    const use = new Use(key, onRevoked, this.#inUse);
    this.#inUse.add(use);
    return use;
  }

  replace(keys: readonly ApiKey[]): void {
    this.#keys = keys;
    for (const use of this.#inUse) {
      const used = use.key;
      const kept = keys.some(
        (key) => key.sha256 === used.sha256 && key.tenant === used.tenant && key.scope === used.scope,
      );
      if (kept) continue;
      this.#inUse.delete(use);
      use.onRevoked();
    }
  }
}

/**
 * Keeps a ring equal to its file, whose content is looked at again and again: a time of change can be missed.
 * A file that can't be read twice in a row leaves no key valid: doubt refuses, but a file caught half written
 * does not end everything.
 */
export class KeyFileWatch implements Disposable {
  readonly #path: string;
  readonly #ring: KeyRing;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #seen: string | undefined;
  #failures = 0;

  constructor(path: string, ring: KeyRing, log: Logger) {
    this.#path = path;
    this.#ring = ring;
    this.#log = log;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    try {
      const text = readFileSync(this.#path, 'utf8');
      if (text === this.#seen && this.#failures === 0) return;
      this.#ring.replace(parseApiKeys(text));
      if (this.#seen !== undefined) this.#log.info('the API keys were read again');
      this.#seen = text;
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures !== 2) return;
      this.#ring.replace([]);
      this.#log.error({ err: error }, `no API key is valid until ${this.#path} is mended`);
    }
  }
}

export function readApiKeys(path: string): ApiKey[] {
  return parseApiKeys(readFileSync(path, 'utf8'));
}
