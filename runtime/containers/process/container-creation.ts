import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SANDBOX_UID } from '../../contracts/container-limits.ts';
import type { ContainerSpec } from '../container-backend.ts';
import type { SocketFolder, User } from '../socket-folder.ts';
import { asFailure, clearedUp } from '../turns.ts';
import { type AgentChild, endedEarly, startAgent } from './agent-child.ts';
import { plainCommand, sandboxCommand } from './agent-command.ts';
import { type AppPlace, plainAppCommand, sandboxAppCommand } from './app-command.ts';
import type { ContainerFolder } from './container-folder.ts';
import { killAll } from './container-processes.ts';
import { freePorts } from './free-ports.ts';
import type { ProcessIdentity } from './process-table.ts';
import type { Sandbox, StartCommand } from './sandbox-command.ts';
import { systemView } from './system-view.ts';

export interface CreationSettings {
  folder: ContainerFolder;
  sockets: SocketFolder;
  labels: Record<string, string>;
  nodePath: string;
  agentEntry: string;
  agentReadySeconds: number;
  bwrapPath: string | undefined;
  /** Folders of the runtime that no sandbox may see. */
  secret: readonly string[];
  /** Who the container is on the machine; the runtime itself unless said. */
  dropTo: User | undefined;
  runtimeUser: User;
  /** `recorded`: how it ended, and what it said last, can be read. */
  onStarted: (started: ProcessIdentity, recorded: Promise<void>) => void;
  /** Of one that runs a program of its image. */
  app: Pick<AppPlace, 'app' | 'program' | 'portEntry' | 'volume'> | undefined;
}

/** One attempt to make a container. It ends with a whole one or with nothing. */
export class ContainerCreation {
  readonly #spec: ContainerSpec;
  readonly #settings: CreationSettings;
  readonly #attempt: AbortController;
  #child: AgentChild | undefined;

  constructor(spec: ContainerSpec, settings: CreationSettings, attempt: AbortController) {
    this.#spec = spec;
    this.#settings = settings;
    this.#attempt = attempt;
  }

  async run(): Promise<void> {
    try {
      await this.#steps();
    } catch (error) {
      throw await clearedUp(asFailure(error), () => this.#clear());
    }
  }

  async #steps(): Promise<void> {
    const { folder, sockets, dropTo, runtimeUser, agentReadySeconds } = this.#settings;
    await folder.prepare(dropTo, this.#record());
    await sockets.prepare(dropTo ?? runtimeUser);
    const command = await this.#command();
    this.#attempt.signal.throwIfAborted();
    const child = await startAgent(command, folder.log);
    this.#child = child;
    void child.exited
      .then((code) => endedEarly(code, folder.log))
      .then(
        (failure) => this.#attempt.abort(failure),
        (error) => this.#attempt.abort(error),
      );
    await folder.write(this.#record());
    // Without its exit code it has ended all the same.
    const recorded = child.exited.then((code) => folder.recordExit(child.identity, code)).catch(() => {});
    this.#settings.onStarted(child.identity, recorded);
    await sockets.takeAgentSocket(dropTo ?? runtimeUser, agentReadySeconds, this.#attempt.signal);
  }

  #record() {
    const { labels, bwrapPath, app } = this.#settings;
    const volume = app?.app.volume?.name;
    return {
      labels,
      isolated: bwrapPath !== undefined,
      app: app && (volume === undefined ? {} : { volume }),
      process: this.#child?.identity,
    };
  }

  async #command(): Promise<StartCommand> {
    const { bwrapPath, app } = this.#settings;
    const place = { ...this.#settings, env: this.#spec.env };
    if (bwrapPath !== undefined) {
      const sandbox = await this.#sandbox(bwrapPath, app?.app.volume?.mount ?? '/home/agent');
      return app === undefined
        ? sandboxCommand(place, sandbox)
        : sandboxAppCommand({ ...place, ...app }, sandbox);
    }
    if (app === undefined) return plainCommand(place);
    const [port = 0, proxy = 0] = await freePorts(2);
    return plainAppCommand({ ...place, ...app }, { app: port, proxy });
  }

  async #sandbox(bwrapPath: string, home: string): Promise<Sandbox> {
    const { folder, dropTo, secret } = this.#settings;
    const { uid, gid } = dropTo ?? { uid: SANDBOX_UID, gid: SANDBOX_UID };
    return {
      bwrapPath,
      view: await systemView(secret),
      dropTo,
      passwdFile: await readable(
        join(folder.path, 'passwd'),
        `root:x:0:0::/:/usr/sbin/nologin\nagent:x:${uid}:${gid}::${home}:/bin/bash\n`,
      ),
      groupFile: await readable(join(folder.path, 'group'), `root:x:0:\nagent:x:${gid}:\n`),
    };
  }

  async #clear(): Promise<void> {
    const { folder, sockets } = this.#settings;
    const record = this.#record();
    await killAll({ ...record, id: folder.id, marker: folder.marker(record) });
    await sockets.remove();
    await folder.remove();
  }
}

async function readable(path: string, text: string): Promise<string> {
  await writeFile(path, text);
  await chmod(path, 0o644);
  return path;
}
