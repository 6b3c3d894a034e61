import type { LeaseStore } from '../lease-store.ts';
import { done, yesOrNo } from './reply-parts.ts';
import { ms } from './script-arguments.ts';
import type { ScriptRunner } from './script-runner.ts';

/** Leases in Redis. */
export class RedisLeaseStore implements LeaseStore {
  readonly #scripts: ScriptRunner;

  constructor(scripts: ScriptRunner) {
    this.#scripts = scripts;
  }

  hold(name: string, owner: string, seconds: number): Promise<boolean> {
    return this.#scripts.run('holdLease', [name, owner, ms(seconds)], yesOrNo);
  }

  async letGo(name: string, owner: string): Promise<void> {
    await this.#scripts.run('letGoOfLease', [name, owner], done);
  }
}
