import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectEngine, engineAnswers } from '../../../images/builder/engine.ts';
import { type FileLock, lock, tryLock } from '../../../images/builder/file-lock.ts';
import { makeBridge, removeBridge } from './bridge.ts';
import { endRecorded, startDaemon } from './daemon.ts';

/**
 * An engine that the first run to need it starts and the last one stops. There is one a machine, because two would
 * undo each other's iptables chains. Whoever uses it holds `users` shared, so that what is left of killed runs shows
 * by nobody holding it; `turn` is held by who starts or stops it.
 */
export class PrivateEngine {
  readonly host: string;
  readonly #dockerd: string;
  readonly #dataRoot: string;
  readonly #at: (name: string) => string;

  /** `dataRoot` outlives the engine, and its images with it. */
  constructor(options: { dockerd: string; folder: string; dataRoot: string }) {
    this.#dockerd = options.dockerd;
    this.#dataRoot = options.dataRoot;
    this.#at = (name) => join(options.folder, name);
    this.host = `unix://${this.#at('docker.sock')}`;
    mkdirSync(options.folder, { recursive: true });
  }

  /** Starts the engine, or shares the one that runs. Returns how to leave it. */
  async join(): Promise<() => Promise<void>> {
    const turn = await lock(this.#at('turn.lock'));
    try {
      const alone = tryLock(this.#at('users.lock'), 'exclusive');
      if (alone !== undefined || !(await engineAnswers(this.host, 10_000))) {
        await this.#stop();
        await this.#start();
      }
      alone?.release();
      const mine = tryLock(this.#at('users.lock'), 'shared');
      if (mine === undefined) throw new Error(`Something else than a run holds ${this.#at('users.lock')}.`);
      return () => this.#leave(mine);
    } finally {
      turn.release();
    }
  }

  async #leave(mine: FileLock): Promise<void> {
    const turn = await lock(this.#at('turn.lock'));
    try {
      mine.release();
      const last = tryLock(this.#at('users.lock'), 'exclusive');
      if (last === undefined) return;
      await this.#stop();
      last.release();
    } finally {
      turn.release();
    }
  }

  async #start(): Promise<void> {
    const bridge = await makeBridge();
    writeFileSync(this.#at('bridge'), bridge.name);
    writeFileSync(this.#at('daemon.json'), '{}');
    // A pid file whose number any process has, even one that nobody has waited for yet, keeps dockerd from starting.
    for (const old of ['dockerd.log', 'dockerd.pid', 'exec/containerd/containerd.pid']) {
      rmSync(this.#at(old), { force: true });
    }
    try {
      await startDaemon({
        command: [
          this.#dockerd,
          ...['--data-root', this.#dataRoot, '--exec-root', this.#at('exec'), '-H', this.host],
          ...['--pidfile', this.#at('dockerd.pid'), '--config-file', this.#at('daemon.json')],
          ...['--bridge', bridge.name, '--default-address-pool', bridge.addressPool],
          // Apart from another engine's containers in a containerd that is there already.
          ...[
            '--containerd-namespace',
            'berth-tests',
            '--containerd-plugins-namespace',
            'berth-tests-plugins',
          ],
          ...['--log-level', 'warn'],
        ],
        logFile: this.#at('dockerd.log'),
        recordFile: this.#at('dockerd.process.json'),
        ready: () => engineAnswers(this.host),
        readyWithinMs: 60_000,
      });
      await this.#removeContainers();
      await this.#removeNetworksAndVolumes();
    } catch (error) {
      await this.#stop();
      throw error;
    }
  }

  /** Ends the recorded engine and everything that it leaves behind; does nothing where there is none. */
  async #stop(): Promise<void> {
    if (await engineAnswers(this.host)) await this.#removeContainers();
    await endRecorded(this.#at('dockerd.process.json'), 30_000);
    for (const mount of this.#mountsLeft()) spawnSync('umount', ['--lazy', mount]);
    if (!existsSync(this.#at('bridge'))) return;
    await removeBridge(readFileSync(this.#at('bridge'), 'utf8'));
    rmSync(this.#at('bridge'));
  }

  /** Below the folder, and, where dockerd has noted that it mounted it, the data root on itself. */
  #mountsLeft(): string[] {
    const rootIsMounted = existsSync(this.#at('exec/unmount-on-shutdown'));
    return readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((mount) => mount.startsWith(this.#at('exec/')) || (rootIsMounted && mount === this.#dataRoot))
      .reverse();
  }

  /** dockerd's own shutdown would wait for each container's grace period. */
  async #removeContainers(): Promise<void> {
    const engine = connectEngine(this.host);
    const all = await engine.listContainers({ all: true });
    await Promise.allSettled(all.map(({ Id }) => engine.getContainer(Id).remove({ force: true, v: true })));
  }

  async #removeNetworksAndVolumes(): Promise<void> {
    const engine = connectEngine(this.host);
    await engine.pruneNetworks();
    const { Volumes } = await engine.listVolumes();
    await Promise.allSettled(Volumes.map(({ Name }) => engine.getVolume(Name).remove({ force: true })));
  }
}
