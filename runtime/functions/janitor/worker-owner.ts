import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ContainerBackend, ContainerView } from '../../containers/container-backend.ts';
import { type FunctionKey, nameOf } from '../../contracts/function-key.ts';
import { type ContainerId, functionOfWorker, parseTenantId, parseWorkerId } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import type { WorkerStore } from '../../state/worker-store.ts';
import type { RoleOwner, Standing } from '../../sweep/role-owner.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import { ENDING_SECONDS, type WorkerEnding } from '../pool/worker-ending.ts';
import { becomesIdle } from '../pool/worker-probe.ts';
import { isAlive, isFree } from './worker-states.ts';

const ASK_SECONDS = 2;

interface Parts {
  store: WorkerStore;
  backend: ContainerBackend;
  ending: WorkerEnding;
  find: (of: FunctionKey) => Promise<FunctionDefinition | undefined>;
  instance: string;
  log: Logger;
}

/** The containers of workers, as the sweep asks about them. */
export class WorkerOwner implements RoleOwner {
  readonly role = 'function';
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  placed(containers: ContainerId[]): Promise<ReadonlySet<ContainerId>> {
    return this.#parts.store.known(containers);
  }

  /**
   * A store that was emptied knows its workers again from those who have them; what nobody names is idle, and may be
   * used again if its definition is still the same and it says itself that it does nothing.
   */
  async ask(container: ContainerView): Promise<Standing> {
    const { store, backend, find } = this.#parts;
    const of = functionOf(container);
    const definition = of && (await find(of));
    const revision = container.labels[LABEL.revision];
    if (of === undefined || definition === undefined || definition.revision !== revision)
      return { kind: 'none', why: 'no-ticket' };
    if (container.state !== 'running') return { kind: 'none', why: 'not-running' };
    const endpoint = await backend.endpoint(container.id, definition.port);
    if (!(await becomesIdle(endpoint, ASK_SECONDS))) return { kind: 'none', why: 'silent' };
    return {
      kind: 'valid',
      subject: `${nameOf(of)}:${container.id}`,
      contested: false,
      adopt: () => store.adopt({ worker: container.id, of, revision }, definition.scaling.maxCapacity),
    };
  }

  async destroyUnowned(container: ContainerId): Promise<boolean> {
    const { store, backend, ending } = this.#parts;
    const found = await backend.inspect(container);
    const of = found && functionOf(found);
    if (of !== undefined)
      return ending.endUnknown({ worker: container, of, revision: found?.labels[LABEL.revision] ?? '' });
    // Of no function: nobody can take it in.
    if ((await store.known([container])).has(container)) return false;
    await ending.end(container);
    return true;
  }

  /** Idle ones that have ended behind our back. Those that somebody has are theirs to find out about. */
  async findLost(listed: ReadonlyMap<ContainerId, ContainerView>): Promise<number> {
    const { store } = this.#parts;
    const { workers } = await store.look();
    let lost = 0;
    for (const { worker } of workers.filter(isFree)) {
      if (isAlive(listed.get(worker))) continue;
      if (await this.checkIdle(worker)) lost += 1;
    }
    return lost;
  }

  /** Whether it was idle, and dead: then it is ended. */
  async checkIdle(worker: ContainerId): Promise<boolean> {
    const { store, backend, ending, instance, log } = this.#parts;
    const known = (await store.look()).workers.find((each) => each.worker === worker);
    if (known === undefined || !isFree(known)) return false;
    const found = await backend.inspect(worker);
    if (isAlive(found)) return false;
    const holder = { instance, lease: randomUUID(), seconds: ENDING_SECONDS };
    if ((await store.retire(worker, known.since, 0, holder)) !== 'done') return false;
    log.warn(
      { container_id: worker, exit: found?.exit },
      'an idle worker has ended by itself; it is replaced',
    );
    await ending.end(worker);
    return true;
  }
}

function functionOf({ id, labels }: ContainerView): FunctionKey | undefined {
  const tenant = parseTenantId(labels[LABEL.tenant] ?? '');
  const worker = parseWorkerId(id);
  return tenant === undefined || worker === undefined
    ? undefined
    : { tenant, name: functionOfWorker(worker) };
}
