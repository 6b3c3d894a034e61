import type { ConnectionKeeper, UpstreamConnection } from '../../http1/upstream-connection.ts';
import type { Destination } from './destination.ts';

const MOST_KEPT = 128;
const MOST_KEPT_OF_ONE = 64;
/** What nobody asks any more is closed within this part of its time. */
const LOOKS = 4;

/** Opens a connection, which asks this keeper what becomes of it. */
export type OpenConnection = (
  destination: Destination,
  keeper: ConnectionKeeper,
) => Promise<UpstreamConnection>;

/** One policy's connections: those that nobody asks at present are used again by destination, the latest first. */
export class UpstreamPool {
  readonly #open: OpenConnection;
  readonly #keepMs: number;
  readonly #kept = new Map<string, UpstreamConnection[]>();
  #count = 0;
  #retired = false;
  #looking: NodeJS.Timeout | undefined;

  constructor(open: OpenConnection, keepMs: number) {
    this.#open = open;
    this.#keepMs = keepMs;
  }

  /** One that was kept, if there is any. */
  take(destination: Destination): UpstreamConnection | undefined {
    const kept = this.#kept.get(keyOf(destination));
    for (let last = kept?.pop(); last; last = kept?.pop()) {
      this.#count -= 1;
      if (last.usable && performance.now() < last.keptUntil) return last;
      last.destroy();
    }
    return undefined;
  }

  /** A new one. Throws a Refusal or an UpstreamFailure. */
  open(destination: Destination): Promise<UpstreamConnection> {
    const key = keyOf(destination);
    return this.#open(destination, {
      keep: (connection, forMs) => this.#keep(key, connection, forMs),
      lose: (connection) => this.#lose(key, connection),
    });
  }

  /** Closes what is kept, and keeps nothing any more. */
  retire(): void {
    this.#retired = true;
    for (const kept of this.#kept.values()) for (const connection of kept) connection.destroy();
    this.#kept.clear();
    this.#count = 0;
    clearInterval(this.#looking);
  }

  #keep(key: string, connection: UpstreamConnection, forMs: number): void {
    let kept = this.#kept.get(key);
    if (this.#retired || this.#count >= MOST_KEPT || (kept && kept.length >= MOST_KEPT_OF_ONE)) {
      connection.destroy();
      return;
    }
    if (!kept) {
      kept = [];
      this.#kept.set(key, kept);
    }
    connection.keptUntil = performance.now() + Math.min(forMs, this.#keepMs);
    kept.push(connection);
    this.#count += 1;
    this.#looking ??= setInterval(() => this.#look(), Math.ceil(this.#keepMs / LOOKS)).unref();
  }

  #lose(key: string, connection: UpstreamConnection): void {
    const kept = this.#kept.get(key);
    const at = kept?.indexOf(connection) ?? -1;
    if (!kept || at < 0) return;
    kept.splice(at, 1);
    this.#count -= 1;
  }

  #look(): void {
    const now = performance.now();
    for (const [key, kept] of this.#kept) {
      const good = kept.filter((connection) => now < connection.keptUntil);
      for (const connection of kept) if (now >= connection.keptUntil) connection.destroy();
      this.#count -= kept.length - good.length;
      if (good.length > 0) this.#kept.set(key, good);
      else this.#kept.delete(key);
    }
    if (this.#kept.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

function keyOf({ host, port, secure, match }: Destination): string {
  return `${secure ? 'https' : 'http'} ${match} ${port} ${host}`;
}
