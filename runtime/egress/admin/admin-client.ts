import type { EgressState, EgressStats, McpRule } from '../../contracts/egress.ts';
import { parseStats } from './parse-stats.ts';
import { type AdminAnswer, type AdminRequest, AdminSeal } from './sealed-message.ts';

export class ProxyAdminError extends Error {
  /** `impostor`: what answers there has not the proxy's key. `rejected`: the proxy does not take these rules. */
  readonly reason: 'unreachable' | 'impostor' | 'rejected';

  constructor(reason: ProxyAdminError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A container's counters at a proxy, and by its hash which state it has there. */
export interface ProxyLook {
  stats: EgressStats;
  stateSha256: string | undefined;
}

const ATTEMPTS = 4;
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * The runtime's side of a proxy's admin calls, a sidecar's or the shared one's. Counters are the store's time in µs;
 * where the proxy has had a later one, the call goes above it. All methods throw a `ProxyAdminError`.
 */
export class ProxyAdmin {
  readonly #url: URL;
  readonly #seal: AdminSeal;
  readonly #timeoutMs: number;

  constructor(url: string, key: string, options: { timeoutMs?: number } = {}) {
    this.#url = new URL(url);
    this.#seal = new AdminSeal(key);
    this.#timeoutMs = options.timeoutMs ?? 5_000;
  }

  async putState(state: EgressState, counter: number): Promise<void> {
    await this.#call('PUT', '/admin/state', counter, state);
  }

  /** Replaces the MCP servers only. */
  async updateRules(servers: Record<string, McpRule>, counter: number): Promise<void> {
    await this.#call('POST', '/admin/update-rules', counter, servers);
  }

  async stats(counter: number): Promise<EgressStats> {
    return (await this.look(counter)).stats;
  }

  async look(counter: number): Promise<ProxyLook> {
    return parseLook(await this.#call('GET', '/admin/stats', counter));
  }

  /** At the shared proxy: what this container may, and the SHA-256 in hex of the credential it is known by. */
  async putContainer(
    container: string,
    rules: { credential_sha256: string; state: EgressState },
    counter: number,
  ): Promise<void> {
    await this.#call('PUT', `/admin/containers/${container}/state`, counter, rules);
  }

  /** At the shared proxy; gives the container's last counters, or undefined where it is not known. */
  async removeContainer(container: string, counter: number): Promise<EgressStats | undefined> {
    const answer = await this.#call('DELETE', `/admin/containers/${container}`, counter, {});
    const { stats } = answer as { stats: unknown }; // the cast: sealed by our own proxy, and parsed next
    return stats === null ? undefined : parseStats(stats);
  }

  /** At the shared proxy: of every container that it knows. */
  async lookAtAll(counter: number): Promise<Map<string, ProxyLook>> {
    const answer = await this.#call('GET', '/admin/stats', counter);
    const { containers } = answer as { containers: object }; // the cast: as above
    return new Map(Object.entries(containers).map(([container, look]) => [container, parseLook(look)]));
  }

  async #call(method: string, path: string, counter: number, body?: unknown): Promise<unknown> {
    let next = counter;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#ask({ counter: next, method, path, body });
      if (answer.status === 200) return answer.body;
      const { last, message } = (answer.body ?? {}) as { last?: unknown; message?: unknown }; // checked below
      if (answer.status !== 409 || typeof last !== 'number' || attempt === ATTEMPTS) {
        throw new ProxyAdminError('rejected', `The proxy refused ${path}: ${message ?? answer.status}`);
      }
      next = last + 1;
    }
  }

  /** One request; its answer is one to this very request. */
  async #ask(request: AdminRequest): Promise<AdminAnswer> {
    const { method, path, counter } = request;
    // A connection that was kept may have been closed from the other side just now.
    const bytes = await this.#send(request).catch(() => this.#send(request));
    const answer = this.#seal.openAnswer(bytes);
    if (answer?.method === method && answer.path === path && answer.counter === counter) return answer;
    const message = `What answers at ${this.#url.host} is not the proxy, or the proxy has another key.`;
    throw new ProxyAdminError('impostor', message);
  }

  async #send(request: AdminRequest): Promise<Buffer> {
    const { method, path, counter, body } = request;
    try {
      const response = await fetch(new URL(path, this.#url), {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
        ...(body === undefined
          ? { headers: { 'x-berth-proof': this.#seal.prove(method, path, counter) } }
          : { body: this.#seal.sealRequest(request) }),
      });
      return await gather(response);
    } catch (cause) {
      const message = `The admin side of the proxy at ${this.#url.host} does not answer.`;
      throw new ProxyAdminError('unreachable', message, { cause });
    }
  }
}

function parseLook(value: unknown): ProxyLook {
  const stats = parseStats(value);
  const { state_sha256: hash } = value as { state_sha256?: unknown }; // the cast: it is an object; checked next
  return { stats, stateSha256: typeof hash === 'string' ? hash : undefined };
}

async function gather(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MOST_ANSWER_BYTES) throw new Error('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
