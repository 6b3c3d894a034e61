import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { ApiKey } from '../access/api-key.ts';
import type { ErrorCode } from '../contracts/errors.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What a handler gets, checked: key, then ids, then query and body. */
export interface Call<Params, Query, Body> {
  key: ApiKey;
  params: Params;
  query: Query;
  body: Body;
  request: Request;
  response: Response;
  /** Aborts when the client goes, the key is taken back or the service ends. */
  signal: AbortSignal;
}

/** What a `text/event-stream` tells: by the name of an event, the schema of its data. */
export interface Events {
  events: Record<string, z.ZodType>;
}

export interface Answer {
  description: string;
  /** Content type → schema of its content; no schema for bytes. */
  content?: Record<string, z.ZodType | 'bytes' | 'text' | Events>;
  headers?: Record<string, string>;
}

/** One call of the API: how it is checked, documented and answered. */
export interface Route {
  method: Method;
  /** With `{name}` for parameters; a `{path}` at the end takes the rest. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** `public` wants no key; `admin` wants one of that scope. */
  access: 'public' | 'use' | 'admin';
  params: z.ZodType;
  query: z.ZodType;
  /** A schema for JSON, `stream` for bytes that the handler reads itself, none for no body. */
  body: z.ZodType | 'stream' | undefined;
  /** Set where the handler makes a WebSocket of the request (`upgradeOf`). */
  upgrades?: 'websocket';
  answers: Record<number, Answer>;
  errors: ErrorCode[];
  handle(call: Call<unknown, unknown, unknown>): Promise<void>;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Ties the schemas of a route to the types its handler sees. */
export function route<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType | 'stream' | undefined = undefined,
>(
  definition: Omit<Route, 'params' | 'query' | 'body' | 'handle'> & {
    params: Params;
    query: Query;
    body?: Body;
    handle(call: Call<z.output<Params>, z.output<Query>, Parsed<Body>>): Promise<void>;
  },
): Route {
  // The server hands over only what these very schemas made.
  return { body: undefined, ...definition } as Route;
}
