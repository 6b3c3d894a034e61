import type { Calls, Function as FunctionRecord } from '../../client/api.ts';

export type * from '../../client/api.ts';

/** The name of the type would hide the language's own. */
export type Defined = FunctionRecord;

export type CallName = keyof Calls;

/** Calls that can be followed as server-sent events. */
export type StreamName = {
  [Name in CallName]: Calls[Name] extends { events: object } ? Name : never;
}[CallName];

type EventsOf<Name extends StreamName> = Calls[Name] extends { events: infer Events } ? Events : never;

/** An event with its number, if it has one, its name and its data. */
export type EventOf<Name extends StreamName> = {
  [Kind in keyof EventsOf<Name> & string]: { id: string; event: Kind; data: EventsOf<Name>[Kind] };
}[keyof EventsOf<Name> & string];

export interface Request<Name extends CallName> {
  params?: Calls[Name]['params'];
  query?: Calls[Name]['query'];
  body?: Calls[Name]['body'];
  signal?: AbortSignal;
}
