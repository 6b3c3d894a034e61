import type { RequestListener } from 'node:http';
import { pino } from 'pino';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';
import { noEgress } from '../../../../runtime/egress-host/container-egress.ts';
import { Invocations } from '../../../../runtime/functions/calls/invocation.ts';
import type { InvocationOutcome } from '../../../../runtime/functions/calls/invocation-outcome.ts';
import { WorkerConnections } from '../../../../runtime/functions/calls/worker-connections.ts';
import type {
  FunctionDefinition,
  FunctionScaling,
} from '../../../../runtime/functions/definitions/function-definition.ts';
import { HeldWorkers } from '../../../../runtime/functions/pool/held-workers.ts';
import { PoolManager } from '../../../../runtime/functions/pool/pool-manager.ts';
import { WorkerCreation } from '../../../../runtime/functions/pool/worker-creation.ts';
import { WorkerEnding } from '../../../../runtime/functions/pool/worker-ending.ts';
import { WorkerProbe } from '../../../../runtime/functions/pool/worker-probe.ts';
import { noCheckpoint as checkpoint } from '../../../../runtime/lifecycle/checkpoint.ts';
import { openMemoryState } from '../../../../runtime/state/memory/open-memory-state.ts';
import { LocalWorkers } from '../../../support/local-workers.ts';
import { functionKey, settingsOf } from '../definitions/function-parts.ts';

const INSTANCE = 'i-1';
const log = pino({ level: 'silent' });
export const never = new AbortController().signal;

export function definitionOf({
  scaling,
  ...more
}: Partial<Omit<FunctionDefinition, 'scaling'>> & {
  scaling?: Partial<FunctionScaling>;
} = {}): FunctionDefinition {
  const { defaults } = settingsOf();
  const at = new Date(0);
  return {
    ...{ of: functionKey(), image: 'function-node:0', env: {}, revision: 'r1', createdAt: at, updatedAt: at },
    ...defaults,
    ...more,
    scaling: { ...defaults.scaling, ...scaling },
  };
}

/** All that a call goes through below its route, on memory and on workers that are servers of this process. */
export class CallParts implements AsyncDisposable {
  readonly backend: LocalWorkers;
  readonly store = openMemoryState().workers;
  readonly held = new HeldWorkers();
  readonly idleClosed: ContainerId[] = [];
  readonly outcomes: InvocationOutcome[] = [];
  readonly connections: WorkerConnections;
  readonly pools: PoolManager;
  readonly invocations: Invocations;
  definition: FunctionDefinition | undefined;

  constructor(listener: (worker: ContainerId) => RequestListener, definition = definitionOf()) {
    this.definition = definition;
    const { store, held } = this;
    this.backend = new LocalWorkers(listener);
    const { backend } = this;
    const nothing = async () => {};
    const egress = noEgress;
    const probe = new WorkerProbe();
    const creation = new WorkerCreation({ backend, egress, probe, getImage: nothing, proxyEnv: () => ({}) });
    this.connections = new WorkerConnections({
      ...{ backend, probe },
      onIdleClosed: (worker) => void this.idleClosed.push(worker),
    });
    const ending = new WorkerEnding({
      ...{ store, creation, held, checkpoint, log },
      instance: INSTANCE,
      forget: (worker) => this.connections.forget(worker),
    });
    const onProvisioned = () => {};
    this.pools = new PoolManager({
      ...{ store, creation, ending, held, checkpoint, log, onProvisioned },
      instance: INSTANCE,
      totalWorkers: 100,
    });
    this.invocations = new Invocations({
      find: async () => this.definition,
      pools: this.pools,
      connections: this.connections,
      exitOf: async () => undefined,
      checkpoint,
      log,
      onEnd: (outcome) => void this.outcomes.push(outcome),
    });
  }

  /** Its workers by state. */
  async states(): Promise<string[]> {
    return (await this.store.look()).workers.map(({ state }) => state).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pools.close();
    this.connections.close();
    await this.backend.close();
  }
}
