import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseContainerId } from '../../runtime/contracts/ids.ts';
import { InstallationSecret } from '../../runtime/identity/installation-secret.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';

/** A runtime with one live conversation, and how to reach the agent of its container past the runtime. */
export class LiveConversation implements AsyncDisposable {
  readonly runtime: RuntimeProcess;
  /** Its agent's socket and token. */
  readonly socket: string;
  readonly token: string;
  readonly #sockets: string;

  private constructor(runtime: RuntimeProcess, sockets: string, container: string, secret: string) {
    this.runtime = runtime;
    this.#sockets = sockets;
    const [own = ''] = readdirSync(sockets);
    this.socket = join(sockets, own, container, 'agent.sock');
    this.token = new InstallationSecret(Buffer.from(secret, 'hex')).agentToken(
      must(parseContainerId(container)),
    );
  }

  static async start(env: Record<string, string>): Promise<LiveConversation> {
    const sockets = mkdtempSync(join(tmpdir(), 'berth-bench-'));
    const runtime = await RuntimeProcess.start({ env: { ...env, WORKSPACE_SOCKET_BASE_PATH: sockets } });
    try {
      await runtime.exec('bench', ['true']);
      const shown = await runtime.fetch('/v1/conversations/bench');
      const { container_id } = (await shown.json()) as { container_id: string };
      const secret = env.BERTH_SECRET ?? readFileSync(join(runtime.dataDir, 'secret'), 'utf8').trim();
      return new LiveConversation(runtime, sockets, container_id, secret);
    } catch (error) {
      await runtime[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return `${this.runtime.url}/v1/conversations/bench`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime[Symbol.asyncDispose]();
    rmSync(this.#sockets, { recursive: true, force: true });
  }
}
