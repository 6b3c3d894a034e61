import { z } from 'zod';
import type { WorkspaceId } from '../../contracts/ids.ts';
import type { ActivityStore, OpenConnection } from '../activity-store.ts';
import type { RedisHints } from './redis-hints.ts';
import { done, yesOrNo } from './reply-parts.ts';
import { ms } from './script-arguments.ts';
import type { ScriptRunner } from './script-runner.ts';

/** A script keeps everybody waiting, so that one takes no more than this. */
const BEATS_A_CALL = 5_000;

/** Who uses which workspace, in Redis. */
export class RedisActivityStore implements ActivityStore {
  readonly #scripts: ScriptRunner;
  readonly #hints: RedisHints;

  constructor(scripts: ScriptRunner, hints: RedisHints) {
    this.#scripts = scripts;
    this.#hints = hints;
  }

  async connect(workspace: WorkspaceId, connection: string): Promise<{ first: boolean }> {
    return { first: await this.#scripts.run('connect', [workspace, connection], yesOrNo) };
  }

  async beat(connections: readonly OpenConnection[]): Promise<void> {
    for (let from = 0; from < connections.length; from += BEATS_A_CALL) {
      const some = connections.slice(from, from + BEATS_A_CALL);
      const args = some.flatMap(({ workspace, connection }) => [workspace, connection]);
      await this.#scripts.run('beatConnections', args, done);
    }
  }

  async disconnect(workspace: WorkspaceId, connection: string, idleSeconds: number): Promise<void> {
    await this.#scripts.run('disconnect', [workspace, connection, ms(idleSeconds)], done);
  }

  async armTimer(workspace: WorkspaceId, idleSeconds: number): Promise<void> {
    await this.#scripts.run('armIdleTimer', [workspace, ms(idleSeconds)], done);
  }

  async inUse(workspaces: readonly WorkspaceId[]): Promise<Set<WorkspaceId>> {
    if (workspaces.length === 0) return new Set();
    const places = new Set(await this.#scripts.run('workspacesInUse', workspaces, z.array(z.int())));
    return new Set(workspaces.filter((_, place) => places.has(place)));
  }

  useOnce(name: string, seconds: number): Promise<boolean> {
    return this.#scripts.run('useOnce', [name, ms(seconds)], yesOrNo);
  }

  hint(): void {
    this.#hints.hint();
  }

  onHint(listener: () => void): () => void {
    return this.#hints.onHint(() => listener());
  }
}
