import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Instant } from '../../contracts/conversation-record.ts';
import { AdoptionNeeded } from '../adoption-store.ts';
import { BytesCommand } from './bytes-command.ts';
import type { LuaScript, ScriptName } from './lua-scripts.ts';
import type { RedisConnection } from './redis-connection.ts';
import { isReplyError } from './reply-error.ts';
import { parseReply } from './reply-parts.ts';
import type { ScriptArgument } from './script-arguments.ts';

export interface StoreClock {
  /** Tests only: added to the server's clock. */
  clockOffsetMs?: number;
  /** Tests only: instead of the server's clock, so that time stands still between calls. */
  testClock?: { now(): Instant };
}

/** What epoch.lua answers for a script that it keeps from its work. */
const ADOPT_FIRST = 'adopt-first';

type Call = (client: Redis, command: string, words: ScriptArgument[]) => Promise<unknown>;

/** Runs scripts of this folder with the keys and the clock that what stands before them expects. */
export class ScriptRunner<Name extends string = ScriptName> {
  readonly #connection: RedisConnection;
  readonly #scripts: Readonly<Record<Name, LuaScript>>;
  readonly #keys: readonly string[];
  readonly #clock: StoreClock;

  constructor(options: {
    connection: RedisConnection;
    scripts: Readonly<Record<Name, LuaScript>>;
    keys: readonly string[];
    clock: StoreClock;
  }) {
    this.#connection = options.connection;
    this.#scripts = options.scripts;
    this.#keys = options.keys;
    this.#clock = options.clock;
  }

  async run<Schema extends z.ZodType>(
    name: Name,
    args: readonly ScriptArgument[],
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const reply = await this.#evaluate(name, args, send);
    if (reply === ADOPT_FIRST) throw new AdoptionNeeded();
    return parseReply(schema, name, reply);
  }

  /** The same for a script whose answer is bytes: every text in it comes as a `Buffer`. It never wants adoption. */
  async runForBytes<Schema extends z.ZodType>(
    name: Name,
    args: readonly ScriptArgument[],
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const reply = await this.#evaluate(name, args, (client, command, words) =>
      client.callBuffer(command, words),
    );
    return parseReply(schema, name, reply);
  }

  /** By its SHA; with its text where the server does not know it: at first, after a restart or a flush. */
  #evaluate(name: Name, args: readonly ScriptArgument[], call: Call): Promise<unknown> {
    const { sha, text } = this.#scripts[name];
    const clock = [this.#clock.clockOffsetMs ?? 0, this.#clock.testClock?.now() ?? ''];
    const words = [this.#keys.length, ...this.#keys, ...clock, ...args];
    return this.#connection.call(name, async (client) => {
      try {
        return await call(client, 'evalsha', [sha, ...words]);
      } catch (error) {
        if (!isReplyError(error, /^NOSCRIPT/)) throw error;
        return await call(client, 'eval', [text, ...words]);
      }
    });
  }
}

async function send(client: Redis, command: string, words: ScriptArgument[]): Promise<unknown> {
  if (!words.some(Buffer.isBuffer)) return await client.call(command, words);
  return await client.sendCommand(new BytesCommand(command, words));
}
