import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { Fenced } from '../conversation-store.ts';
import type { MemberRequest, PoolSizes, PoolView, WarmPoolStore } from '../warm-pool-store.ts';
import * as replies from './pool-replies.ts';
import { done, fenced } from './reply-parts.ts';
import { ms } from './script-arguments.ts';
import type { ScriptRunner } from './script-runner.ts';

/** The warm pool in Redis. */
export class RedisWarmPoolStore implements WarmPoolStore {
  readonly #scripts: ScriptRunner;

  constructor(scripts: ScriptRunner) {
    this.#scripts = scripts;
  }

  look(): Promise<PoolView> {
    return this.#scripts.run('lookAtPool', [], replies.view);
  }

  async configure({ min, max }: PoolSizes): Promise<void> {
    await this.#scripts.run('configurePool', [min, max], done);
  }

  async reserve(
    request: MemberRequest & { most: number; maxContainers: number },
  ): Promise<'reserved' | 'full' | 'no-room'> {
    const { container, most, maxContainers } = request;
    const args = [container, request.owner, ms(request.leaseSeconds), most, maxContainers];
    const reply = await this.#scripts.run('reserveMember', args, replies.reserved);
    if (reply !== 'container-taken') return reply;
    throw new BerthError('INTERNAL', `The container id ${container} is taken already.`);
  }

  renew({ container, owner, leaseSeconds }: MemberRequest): Promise<Fenced> {
    return this.#scripts.run('renewMember', [container, owner, ms(leaseSeconds)], fenced);
  }

  add(request: { container: ContainerId; owner: string; image: string; manager: string }): Promise<Fenced> {
    const { container, owner, image, manager } = request;
    return this.#scripts.run('addMember', [container, owner, image, manager], fenced);
  }

  remove({ container, stopSeconds }: { container: ContainerId; stopSeconds: number }): Promise<Fenced> {
    return this.#scripts.run('removeMember', [container, ms(stopSeconds)], fenced);
  }
}
