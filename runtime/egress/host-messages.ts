import type { EgressState, EgressStats } from '../contracts/egress.ts';
import type { OnwardProxy } from './settings.ts';

/** What the runtime asks of the proxy that is its child, over the channel between the two. */
export type HostRequest =
  /** Listens for this container, in place of whoever does; without `takeOver` it only replaces the rules of its own. */
  | { kind: 'put'; container: string; socket: string; rules: HostRules; takeOver: boolean }
  /** One that has a network, and is known at the shared address by its credential. */
  | { kind: 'serve'; container: string; credentialSha256: string; state: EgressState }
  /** Listens for all that have a network. */
  | { kind: 'share'; host: string; port: number }
  /** Answers with the last of its counters. Of one that is not there: none. */
  | { kind: 'remove'; container: string }
  /** The counters of all; and which lost their socket to another proxy, and so are let go of. */
  | { kind: 'look' };

/** A container's own rules, or the proxy that has them and to which all is passed on. */
export type HostRules = { kind: 'own'; state: EgressState } | { kind: 'onward'; proxy: OnwardProxy };

export interface HostResults {
  /** Not in place: another proxy listens there, and this one has let go. */
  put: { inPlace: boolean };
  serve: null;
  share: { port: number };
  remove: EgressStats | null;
  look: { containers: Record<string, EgressStats>; superseded: string[] };
}

export type HostMessage =
  | { kind: 'ready' }
  | { kind: 'answer'; id: number; result: HostResults[keyof HostResults] }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'log'; level: 'info' | 'warn'; message: string; fields: Record<string, unknown> };
