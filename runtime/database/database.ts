import type { Instant } from '../contracts/conversation-record.ts';
import type { Functions } from './functions.ts';
import type { Workspaces } from './workspaces.ts';

/**
 * What outlives every container: workspaces, and functions as they are defined. One that can't be reached throws `STORE_UNAVAILABLE` within 5 s.
 */
export interface Database {
  readonly workspaces: Workspaces;
  readonly functions: Functions;
  readonly leases: DatabaseLeases;
  /** The database's clock, which decides about its rows. */
  now(): Promise<Instant>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

type Writer = Exclude<keyof Workspaces, 'reads'>;

/** What a writer of workspaces gets: it reads all, and writes its own columns. */
export type DatabaseOf<Own extends Writer> = Pick<Database, 'now'> & {
  readonly workspaces: Pick<Workspaces, 'reads' | Own>;
};

/** Who is the one that does something. It only saves work: what is done is fenced by the rows themselves. */
export interface DatabaseLeases {
  /** Takes it, or keeps it, for so long from now. False: another has it. */
  hold(name: string, owner: string, seconds: number): Promise<boolean>;
  letGo(name: string, owner: string): Promise<void>;
}
