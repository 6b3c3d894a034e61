import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Instant } from '../../contracts/conversation-record.ts';
import { AdoptionNeeded } from '../adoption-store.ts';
import { type LuaScript, loadScripts, type ScriptName } from './lua-scripts.ts';
import type { RedisConnection } from './redis-connection.ts';
import { type RedisKeys, scriptKeys } from './redis-keys.ts';
import { isReplyError } from './reply-error.ts';
import { parseReply } from './reply-parts.ts';

export interface StoreClock {
  /** Tests only: added to the server's clock. */
  clockOffsetMs?: number;
  /** Tests only: instead of the server's clock, so that time stands still between calls. */
  testClock?: { now(): Instant };
}

/** What epoch.lua answers for a script that it keeps from its work. */
const ADOPT_FIRST = 'adopt-first';

/** Runs the scripts of this folder with the keys and the clock that prelude.lua expects. */
export class ScriptRunner {
  readonly #connection: RedisConnection;
  readonly #scripts = loadScripts();
  readonly #keys: string[];
  readonly #clock: StoreClock;

  constructor(connection: RedisConnection, keys: RedisKeys, clock: StoreClock) {
    this.#connection = connection;
    this.#keys = scriptKeys(keys);
    this.#clock = clock;
  }

  async run<Schema extends z.ZodType>(
    name: ScriptName,
    args: (string | number)[],
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const clock = [this.#clock.clockOffsetMs ?? 0, this.#clock.testClock?.now() ?? ''];
    const reply = await this.#connection.call(name, (client) =>
      evaluate(client, this.#scripts[name], this.#keys, [...clock, ...args]),
    );
    if (reply === ADOPT_FIRST) throw new AdoptionNeeded();
    return parseReply(schema, name, reply);
  }
}

/** By its SHA; with its text where the server does not know it: at first, after a restart or a flush. */
async function evaluate(
  client: Redis,
  script: LuaScript,
  keys: string[],
  args: (string | number)[],
): Promise<unknown> {
  try {
    return await client.evalsha(script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!isReplyError(error, /^NOSCRIPT/)) throw error;
    return await client.eval(script.text, keys.length, ...keys, ...args);
  }
}
