import { signalSession } from './session.ts';

/** The commands that somebody waits for; each is the leader of its own session. */
export class RunningCommands {
  readonly #leaders = new Set<number>();

  add(leader: number): void {
    this.#leaders.add(leader);
  }

  delete(leader: number): void {
    this.#leaders.delete(leader);
  }

  /** Kills them all at once, for an agent that is about to exit. */
  killAll(): void {
    for (const leader of this.#leaders) signalSession(leader, 'SIGKILL');
  }
}
