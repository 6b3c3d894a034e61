import type { ExecutionName } from '../../contracts/execution-record.ts';
import type { Incarnation, Lifetimes } from '../conversation-store.ts';
import type { LogEntry } from '../execution-store.ts';

/** How the scripts take what several of them take. */

export type ScriptArgument = string | number | Buffer;

export function ms(seconds: number): number {
  return Math.round(seconds * 1_000);
}

export function incarnation({ tenant, conversation, container }: Incarnation): string[] {
  return [tenant, conversation, container];
}

export function executionName({ tenant, conversation, execution }: ExecutionName): string[] {
  return [tenant, conversation, execution];
}

export function lifetimes(ttl: Lifetimes): number[] {
  return [ms(ttl.idleSeconds), ms(ttl.maxLifetimeSeconds), recordKeyTtl(ttl.maxLifetimeSeconds)];
}

/** A record's key goes by itself that long after the last write, should all else fail. */
export function recordKeyTtl(maxLifetimeSeconds: number): number {
  return 2 * ms(maxLifetimeSeconds);
}

export function logEntries(entries: LogEntry[]): ScriptArgument[] {
  return entries.flatMap(({ first, last, frames }) => [first, last, frames]);
}
