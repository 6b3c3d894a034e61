import type { ContainerBackend, ContainerStats, ContainerView } from '../../containers/container-backend.ts';
import { nameOf } from '../../contracts/function-key.ts';
import { LABEL } from '../../contracts/labels.ts';
import type { WorkerState, WorkerStore, WorkerView } from '../../state/worker-store.ts';
import { sideBySide } from '../../sweep/side-by-side.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import { isAlive } from './worker-states.ts';

const SIDE_BY_SIDE = 8;

interface Parts {
  store: WorkerStore;
  backend: ContainerBackend;
  definitions: () => Promise<FunctionDefinition[]>;
}

export interface PoolFigures {
  definition: FunctionDefinition;
  byState: Record<WorkerState, number>;
}

export interface ContainerFigures {
  view: ContainerView;
  tenant: string | undefined;
  function: string | undefined;
  state: WorkerState | undefined;
  /** None of one that does not run, or that could not be asked. */
  stats: ContainerStats | undefined;
}

/** What operators want to know of workers. */
export class WorkerMetrics {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Every function there is. */
  async pools(): Promise<PoolFigures[]> {
    const { store, definitions } = this.#parts;
    const known = await definitions();
    const byFunction = Map.groupBy((await store.look()).workers, ({ of }) => nameOf(of));
    return known.map((definition) => ({
      definition,
      byState: countStates(byFunction.get(nameOf(definition.of)) ?? []),
    }));
  }

  /** Every container of a worker; those whose figures could not be had are told apart. */
  async containers(): Promise<{ containers: ContainerFigures[]; failures: { id: string; error: string }[] }> {
    const { store, backend } = this.#parts;
    const [views, { workers }] = await Promise.all([backend.list('function'), store.look()]);
    const states = new Map(workers.map(({ worker, state }) => [worker, state]));
    const containers: ContainerFigures[] = [];
    const failures: { id: string; error: string }[] = [];
    await sideBySide(SIDE_BY_SIDE, views, async (listed) => {
      let view = listed;
      let stats: ContainerStats | undefined;
      try {
        if (isAlive(view)) stats = await backend.stats(view.id);
        else view = (await backend.inspect(view.id)) ?? view; // lists tell of no exit codes
      } catch (error) {
        failures.push({ id: listed.id, error: error instanceof Error ? error.message : String(error) });
      }
      containers.push({
        view,
        tenant: view.labels[LABEL.tenant],
        function: view.labels[LABEL.function],
        state: states.get(view.id),
        stats,
      });
    });
    return { containers, failures };
  }

  async byState(): Promise<Record<WorkerState, number>> {
    return countStates((await this.#parts.store.look()).workers);
  }
}

function countStates(workers: readonly WorkerView[]): Record<WorkerState, number> {
  const counts = { provisioning: 0, idle: 0, paused: 0, busy: 0, terminating: 0 };
  for (const { state } of workers) counts[state] += 1;
  return counts;
}
