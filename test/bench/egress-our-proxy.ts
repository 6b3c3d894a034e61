import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { bundle } from '../../images/builder/bundle.ts';
import type { EgressState } from '../../runtime/contracts/egress.ts';
import { ProxyChild } from '../../runtime/egress-host/proxy-child.ts';
import { must } from '../support/must.ts';

const ENTRY = fileURLToPath(new URL('../../runtime/egress/host-main.ts', import.meta.url));

/** The egress proxy as a runtime of the image has it: its bundled program, as a child that is told what to do. */
export class OurProxy implements AsyncDisposable {
  readonly #folder: string;
  readonly #child: ProxyChild;

  private constructor(folder: string, child: ProxyChild) {
    this.#folder = folder;
    this.#child = child;
  }

  static async start(): Promise<OurProxy> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
    await bundle({ entry: ENTRY, name: 'host-main.mjs', folder, oneFile: true });
    const child = new ProxyChild({
      program: pathToFileURL(join(folder, 'host-main.mjs')),
      env: process.env,
      log: pino({ level: 'warn' }, pino.destination(2)),
      onRestarted: () => {},
    });
    return new OurProxy(folder, child);
  }

  get pid(): number {
    return must(this.#child.pid);
  }

  /** Gives a container that may reach this upstream a socket of its own. */
  async openSocket(container: string, upstream: string): Promise<string> {
    const socket = join(this.#folder, `${container}.sock`);
    const rules = { kind: 'own', state: allowing(upstream) } as const;
    await this.#child.ask({ kind: 'put', container, socket, rules, takeOver: true });
    return socket;
  }

  /** Listens on loopback for one container that may reach this upstream. */
  async openPort(upstream: string): Promise<{ port: number; authorization: string }> {
    const [container, credential] = ['ws-bench', 'a-credential-for-the-bench'];
    const credentialSha256 = createHash('sha256').update(credential).digest('hex');
    await this.#child.ask({ kind: 'serve', container, credentialSha256, state: allowing(upstream) });
    const { port } = await this.#child.ask({ kind: 'share', host: '127.0.0.1', port: 0 });
    const basic = Buffer.from(`${container}:${credential}`).toString('base64');
    return { port, authorization: `Basic ${basic}` };
  }

  /** All its threads, from now on. */
  runOnCore(core: number): void {
    execFileSync('taskset', ['-acp', `${core}`, `${this.pid}`]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.close();
    rmSync(this.#folder, { recursive: true });
  }
}

function allowing(upstream: string): EgressState {
  return {
    allowed_domains: [`internal:${upstream}`],
    mcp_domains: [],
    mcp_servers: {},
    signing: null,
    anthropic: null,
  };
}
