import type { Task } from './tasks/task.ts';

/** A line for each new status of a task, for people to read. */
export class TaskEventLines {
  readonly #say: (line: string) => void;
  readonly #last = new Map<string, string>();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  show(task: Task): void {
    const { identity, status, attachment, health, stop } = task;
    const state = `${status}${health === 'UNKNOWN' ? '' : ` ${health}`}`;
    if (this.#last.get(identity.id) === state) return;
    if (status === 'STOPPED') this.#last.delete(identity.id);
    else this.#last.set(identity.id, state);
    const parts = [
      new Date().toISOString().slice(11, 19),
      identity.id.slice(0, 12),
      identity.startedBy ?? identity.group,
      state,
      attachment.address,
      stop === undefined ? undefined : `${stop.stopCode}: ${stop.reason}`,
    ];
    this.#say(parts.filter((part) => part !== undefined).join('  '));
  }
}
