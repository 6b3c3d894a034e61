import { type ContainerId, executionWork } from '../../contracts/ids.ts';
import type { AdoptionStore, AdoptRequest } from '../adoption-store.ts';
import type { Fenced } from '../conversation-store.ts';
import { EXECUTION_GRACE_MS } from '../store-limits.ts';
import { done, fenced, maybeText } from './reply-parts.ts';
import { incarnation, lifetimes, ms } from './script-arguments.ts';
import type { ScriptRunner } from './script-runner.ts';

/** Adoption of what a Redis may have lost: a server has another life after a restart or a fail-over. */
export class RedisAdoptionStore implements AdoptionStore {
  readonly #scripts: ScriptRunner;

  constructor(scripts: ScriptRunner) {
    this.#scripts = scripts;
  }

  needed(): Promise<string | undefined> {
    return this.#scripts.run('adoptionNeeded', [], maybeText);
  }

  async discardWarm(): Promise<void> {
    await this.#scripts.run('discardWarm', [], done);
  }

  adopt(request: AdoptRequest): Promise<Fenced> {
    const runs = ms(request.executionSeconds);
    const args = [
      ...[...incarnation(request), request.manager, request.createdAt, request.claimedAt],
      ...[request.savedVersion ?? '', runs, runs + EXECUTION_GRACE_MS, ...lifetimes(request.ttl)],
      ...request.executions.flatMap((execution) => [execution, executionWork(execution)]),
    ];
    return this.#scripts.run('adopt', args, fenced);
  }

  async reserveUnknown(containers: ContainerId[]): Promise<void> {
    await this.#scripts.run('reserveUnknown', containers, done);
  }

  complete(life: string): Promise<Fenced> {
    return this.#scripts.run('completeAdoption', [life], fenced);
  }
}
