import { type ContainerId, parseContainerId } from '../../../runtime/contracts/ids.ts';
import { container, execution } from './names.ts';
import { type Call, isRelayKind } from './operations.ts';
import type { StateDump } from './state-dump.ts';

export const MAX_CONTAINERS = 5;

/** A call with all that depends on what the state holds, so that it can be made on two stores, and again. */
export interface SettledCall extends Call {
  container: ContainerId;
  /** Of the execution's log as it is now. */
  logged: { agentSeq: number; offset: number };
  /** Whether one more container than there is would be more than may be. */
  full: boolean;
  takenAlready: boolean;
}

const GIVES_A_PLACE: readonly Call['kind'][] = ['acquire', 'reserveMember', 'adopt', 'reserveUnknown'];

/** Settles which container each call names. One whose place was given back never comes again. */
export class Naming {
  #made = 0;
  readonly #seen = new Set<string>([container(0)]);

  settle(made: Call, state: StateDump): SettledCall {
    const call = made.which === 'current' && isRelayKind(made.kind) ? aimed(made, state) : made;
    const places = [...Object.keys(state.reserved), ...Object.keys(state.expiry), ...state.warm];
    for (const id of places) this.#seen.add(id);
    const meant = this.#containerOf(call, state);
    const gone = this.#seen.has(meant) && !places.includes(meant);
    const named = gone && GIVES_A_PLACE.includes(call.kind) ? container(++this.#made) : meant;
    const { agentSeq = 0, offset = 0 } =
      state.executions[`${call.tenant}:${call.conversation}:${execution(call.execution)}`] ?? {};
    return {
      ...call,
      container: named,
      logged: { agentSeq, offset },
      full: places.length >= MAX_CONTAINERS,
      takenAlready: places.includes(named),
    };
  }

  #containerOf(call: Call, state: StateDump): ContainerId {
    switch (call.which) {
      case 'new':
        return container(++this.#made);
      case 'stopping': {
        const { reserved, reverse, starting } = state;
        return first(Object.keys(reserved).filter((id) => !(id in reverse) && !(id in starting)));
      }
      case 'warm':
        return first(state.warm);
      case 'starting':
        return first(Object.keys(state.starting));
      case 'current':
        return state.records[`${call.tenant}:${call.conversation}`]?.container ?? container(0);
      default:
        return container(call.which);
    }
  }
}

/** At an execution that runs, mostly by its relay. */
function aimed(call: Call, state: StateDump): Call {
  const running = Object.values(state.executions).filter(({ status }) => status === 'running');
  const target = running[call.work % running.length];
  if (!target) return call;
  return {
    ...call,
    tenant: target.tenant,
    conversation: target.conversation,
    execution: [1, 2, 3].find((n) => execution(n) === target.execution) ?? call.execution,
    owner: call.owner === 'ann' && target.relay !== '' ? target.relay : call.owner,
  };
}

function first([id]: string[]): ContainerId {
  return (id === undefined ? undefined : parseContainerId(id)) ?? container(0);
}
