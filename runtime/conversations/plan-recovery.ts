import type { BackendKind, ContainerView } from '../containers/container-backend.ts';

/** What a caller saw when work on a container failed, and what a look at it showed. */
export interface Trouble {
  backend: BackendKind;
  /** `unreachable`: no connection, or one that broke. `misbehaved`: its answer broke the protocol. `late`: no end in time. */
  failure: 'unreachable' | 'misbehaved' | 'late';
  /** `well`: it proved to be the agent of this container and conversation. `silent`: no answer. `foreign`: another's. */
  agent: 'well' | 'silent' | 'foreign';
  container: Pick<ContainerView, 'state' | 'exit'> | 'absent' | 'unknown';
}

export type RecoveryStep =
  /** The connection broke, nothing else: take it up again. */
  | { kind: 'reconnect' }
  /** End the container; the next work gets a new one with its files. */
  | { kind: 'replace'; reason: ReplaceReason };

export type ReplaceReason =
  | 'out-of-memory'
  | 'exited'
  | 'gone'
  | 'hung'
  | 'impostor'
  | 'misbehaved'
  | 'out-of-time'
  /** Its egress proxy could not be opened again. */
  | 'no-egress';

/** The one table of recovery: what failed × what is seen → what to do. */
export function planRecovery({ failure, agent, container }: Trouble): RecoveryStep {
  if (container === 'absent') return replace('gone');
  if (container !== 'unknown' && container.state === 'exited') {
    return replace(container.exit?.oomKilled ? 'out-of-memory' : 'exited');
  }
  if (failure === 'misbehaved') return replace('misbehaved');
  if (agent === 'foreign') return replace('impostor');
  if (failure === 'late') return replace('out-of-time');
  return agent === 'well' ? { kind: 'reconnect' } : replace('hung');
}

function replace(reason: ReplaceReason): RecoveryStep {
  return { kind: 'replace', reason };
}
