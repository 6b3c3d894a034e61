import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { AgentClient } from '../../../runtime/agent-client/agent-client.ts';
import type { FileManifest } from '../../../runtime/contracts/agent-protocol.ts';
import { type ContainerId, conversationContainerId } from '../../../runtime/contracts/ids.ts';
import { RunningAgent, TOKEN } from '../../images/workspace-base/agent/running-agent.ts';

/** A client of a real agent that lets a test do something just before or while a file is read. */
export class MeddledClient extends AgentClient {
  lists = 0;
  reads: string[] = [];
  beforeList: (n: number) => unknown = () => undefined;
  beforeRead: (path: string) => unknown = () => undefined;
  whileRead: (path: string, content: Readable) => Readable = (_path, content) => content;

  override async listFiles(signal: AbortSignal, exclude: readonly string[] = []): Promise<FileManifest> {
    this.lists += 1;
    await this.beforeList(this.lists);
    return super.listFiles(signal, exclude);
  }

  override async readFile(path: string, signal: AbortSignal): Promise<{ size: number; content: Readable }> {
    this.reads.push(path);
    await this.beforeRead(path);
    const { size, content } = await super.readFile(path, signal);
    return { size, content: this.whileRead(path, content) };
  }
}

/** A real agent in its own folder, as a conversation's container has it. */
export class TestContainer {
  readonly agent: RunningAgent;
  id: ContainerId;
  client: MeddledClient;

  private constructor(agent: RunningAgent) {
    this.agent = agent;
    this.id = newContainerId();
    this.client = this.#connect();
  }

  static async start(prefix: string[] = []): Promise<TestContainer> {
    return new TestContainer(await RunningAgent.start({}, prefix));
  }

  /** As a container that nobody has used yet. */
  renew(): void {
    execFileSync('chmod', ['-R', 'u+rwX', this.agent.root]);
    execFileSync('find', [this.agent.root, '-mindepth', '1', '-delete']);
    this.client.close();
    this.id = newContainerId();
    this.client = this.#connect();
  }

  path(path: string): string {
    return join(this.agent.root, path);
  }

  write(path: string, content: string | Buffer, mode = 0o644): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
    chmodSync(this.path(path), mode);
  }

  remove(path: string): void {
    rmSync(this.path(path), { recursive: true });
  }

  /** All files: `mode content` by path, in the order of paths. */
  tree(): [path: string, file: string][] {
    return readdirSync(this.agent.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [relative(this.agent.root, file), describeFile(file)]);
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.agent.stop();
  }

  #connect(): MeddledClient {
    return new MeddledClient({ kind: 'socket', path: this.agent.socket }, TOKEN);
  }
}

export const newContainerId = (): ContainerId => conversationContainerId(randomUUID());

function describeFile(file: string): string {
  return `${(statSync(file).mode & 0o777).toString(8)} ${readFileSync(file, 'latin1')}`;
}
