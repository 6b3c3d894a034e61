import { createHmac, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Endpoint } from '../../../runtime/containers/container-backend.ts';
import type { AgentHealth, ExecResult } from '../../../runtime/contracts/agent-protocol.ts';

/** An agent as the tests call it: with Node's own client, so that nothing of ours stands between. */
export class TestAgent {
  readonly #place: () => Promise<Endpoint>;
  readonly #token: string;

  constructor(place: () => Promise<Endpoint>, token: string) {
    this.#place = place;
    this.#token = token;
  }

  /** Whether who answers there knows the token; `within` milliseconds. */
  async proves(within = 5_000): Promise<boolean> {
    const nonce = randomBytes(16).toString('hex');
    const { proof } = await this.health(nonce, within);
    return proof === createHmac('sha256', this.#token).update(nonce).digest('hex');
  }

  async health(nonce = 'n', within = 5_000): Promise<AgentHealth> {
    return JSON.parse(await this.#call('GET', `/health?nonce=${nonce}`, undefined, within));
  }

  async exec(...cmd: string[]): Promise<ExecResult> {
    return JSON.parse(await this.#call('POST', '/exec', JSON.stringify({ cmd, timeout: 25 }), 30_000));
  }

  /** What the script printed; a failed test when it failed. */
  async bash(script: string): Promise<string> {
    const result = await this.exec('bash', '-c', script);
    if (result.exit_code !== 0) throw new Error(`exit code ${result.exit_code}: ${result.output}`);
    return result.stdout.trim();
  }

  async python(script: string): Promise<ExecResult> {
    return this.exec('python3', '-c', script);
  }

  async #call(method: string, path: string, body: string | undefined, within: number): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const endpoint = await this.#place();
    const outgoing = request({
      ...(endpoint.kind === 'socket' ? { socketPath: endpoint.path } : endpoint),
      method,
      path,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(within),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (answer) => text(answer).then(resolve, reject));
    outgoing.end(body);
    return promise;
  }
}
