import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure, Task } from '@aws-sdk/client-ecs';
import { BerthError, type ErrorCode } from '../../contracts/errors.ts';
import type { ContainerSpec } from '../container-backend.ts';
import { ownRole, takenBy } from '../ownership.ts';
import type { EcsApi } from './ecs-api.ts';
import type { TaskDirectory } from './task-directory.ts';
import type { TaskSettings } from './task-input.ts';
import { streamOf, type TaskKind } from './task-kind.ts';
import { addressOf, endOf, hasStopped, isEnding, labelsOf, whyEnded } from './task-view.ts';
import type { TaskWatch } from './task-watch.ts';

const CAPACITY_ATTEMPTS = 4;
const CAPACITY_WAIT_MS = 2000;
const RETRY_AFTER_SECONDS = 30;
const LAST_LINES = 20;

export interface StartSettings extends TaskSettings {
  installation: string;
  logGroup: string;
  /** How long AWS may take until the task has its address. */
  addressSeconds: number;
  /** How long from then until its agent answers. */
  agentReadySeconds: number;
}

/** What is to be made. */
interface Wanted {
  spec: ContainerSpec;
  kind: TaskKind;
}

interface Parts {
  api: EcsApi;
  watch: TaskWatch;
  directory: TaskDirectory;
  /** At most so many RunTask calls at once. */
  inTurn: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Makes one container: a task is run, gets its address, and what is in it answers. */
export class TaskStart {
  readonly #parts: Parts;
  readonly #spec: ContainerSpec;
  readonly #kind: TaskKind;
  readonly #settings: StartSettings;
  readonly #signal: AbortSignal;

  constructor(parts: Parts, { spec, kind }: Wanted, settings: StartSettings, signal: AbortSignal) {
    this.#parts = parts;
    this.#spec = spec;
    this.#kind = kind;
    this.#settings = settings;
    this.#signal = signal;
  }

  /** `known`: a task that this container was, or is. */
  async run(known: string | undefined): Promise<void> {
    const arn = await this.#begin(known);
    try {
      await this.#follow(arn);
    } catch (error) {
      if (!(error instanceof EarlyEnd)) throw error;
      const last = await this.#last(error.task);
      if (this.#kind.mayEnd && endOf(last)?.exitCode !== undefined) return;
      throw await this.#ended(last);
    }
  }

  async #follow(arn: string): Promise<void> {
    const { directory } = this.#parts;
    await directory.learn(this.#spec.id, { arn });
    const { addressSeconds, agentReadySeconds } = this.#settings;
    const address = await this.#within(addressSeconds, 'the task has no address', (until) =>
      this.#address(arn, until),
    );
    await directory.learn(this.#spec.id, { arn, address });
    await this.#within(agentReadySeconds, this.#kind.unanswered, (until) => this.#ready(arn, address, until));
  }

  /** A task that lives: the one that whoever tried before has started, or a new one. */
  async #begin(known: string | undefined): Promise<string> {
    if (known !== undefined && (await this.#lives(known))) return known;
    let instead = known ?? '';
    for (let refused = 0; ; ) {
      const { tasks, failures, existing } = await this.#run(instead);
      const [task] = tasks;
      const arn = existing?.[0] ?? task?.taskArn;
      if (arn !== undefined) {
        if (task === undefined ? await this.#lives(arn) : !isEnding(task)) return arn;
        instead = arn; // it is over: its token would only give it back
        continue;
      }
      const failure = refusal(failures);
      refused += 1;
      if (failure.code !== 'CAPACITY_EXCEEDED' || refused === CAPACITY_ATTEMPTS) throw failure;
      instead = `refused ${refused}`; // nothing was started
      await sleep(CAPACITY_WAIT_MS * 2 ** refused * Math.random(), undefined, { signal: this.#signal });
    }
  }

  /** One that ECS does not show is not over: descriptions lag behind. Throws if it is another's. */
  async #lives(arn: string): Promise<boolean> {
    const [task] = await this.#parts.api.describe([arn]);
    if (task === undefined) return true;
    if (isEnding(task)) return false;
    const labels = labelsOf(task);
    if (ownRole(labels, this.#settings.installation) === this.#spec.role) return true;
    throw new BerthError('CONTAINER_CREATE_FAILED', takenBy(this.#spec.id, labels));
  }

  #run(instead: string) {
    const { api, inTurn } = this.#parts;
    const input = this.#kind.input(instead);
    const patience = { seconds: this.#settings.addressSeconds, signal: this.#signal };
    return inTurn(() => api.runTask(input, patience)).catch((error) => {
      throw missingDefinition(error, this.#kind.variable) ?? error;
    });
  }

  /** One that ECS does not show yet is waited for: descriptions lag behind. */
  #address(arn: string, until: AbortSignal): Promise<string> {
    return this.#parts.watch.until(
      arn,
      (task) => {
        if (task === 'missing') return undefined;
        if (isEnding(task)) throw new EarlyEnd(task);
        return addressOf(task);
      },
      until,
    );
  }

  /** Until all in it answers, or the task turns out to end. */
  async #ready(arn: string, address: string, until: AbortSignal): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([until, over.signal]);
    const all = this.#kind.answers(address, signal);
    try {
      await Promise.race([all, this.#itsEnd(arn, signal)]);
    } finally {
      over.abort();
      all.catch(() => {}); // told already
    }
  }

  #itsEnd(arn: string, until: AbortSignal): Promise<never> {
    return this.#parts.watch.until<never>(
      arn,
      (task) => {
        if (task !== 'missing' && isEnding(task)) throw new EarlyEnd(task);
        return undefined;
      },
      until,
    );
  }

  async #within<T>(seconds: number, what: string, act: (until: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(Math.ceil(seconds * 1000));
    try {
      return await act(AbortSignal.any([this.#signal, late]));
    } catch (error) {
      if (error instanceof EarlyEnd) throw error;
      this.#signal.throwIfAborted();
      if (!late.aborted) throw error;
      throw new BerthError('START_TIMEOUT', `${this.#spec.id}: ${what} within ${seconds} s`, {}, error);
    }
  }

  /** Its containers' own end is known a moment after it begins to stop. */
  #last(task: Task): Promise<Task> {
    return this.#parts.watch
      .until(
        task.taskArn ?? '',
        (seen) => (seen !== 'missing' && hasStopped(seen) ? seen : undefined),
        AbortSignal.timeout(10_000),
      )
      .catch(() => task);
  }

  async #ended(last: Task): Promise<BerthError> {
    const { api, directory } = this.#parts;
    if (hasStopped(last)) await directory.forget(this.#spec.id);
    const why = whyEnded(last);
    const { log } = this.#kind;
    const stream = log && streamOf(log, last.taskArn ?? '');
    const lines =
      log === undefined || stream === undefined
        ? []
        : await api.lastLines(log.group, stream, LAST_LINES).catch(() => []);
    const said = lines.length === 0 ? '' : `: ${lines.join('\n')}`;
    return new BerthError(codeOf(why), `the task of ${this.#spec.id} ended: ${why}${said}`);
  }
}

class EarlyEnd extends Error {
  readonly task: Task;

  constructor(task: Task) {
    super('the task ended early');
    this.task = task;
  }
}

const NO_CAPACITY = /capacity|RESOURCE:/i;

function codeOf(why: string): ErrorCode {
  if (/CannotPull|ImagePull/i.test(why)) return 'IMAGE_PULL_FAILED';
  return /Capacity is unavailable/i.test(why) ? 'CAPACITY_EXCEEDED' : 'CONTAINER_CREATE_FAILED';
}

/** What ECS says of a task that it did not start. */
export function refusal(failures: Failure[]): BerthError {
  const reason = failures.map(({ reason = '', detail = '' }) => `${reason} ${detail}`.trim()).join('; ');
  const said = reason || 'it started nothing and gave no reason';
  if (!NO_CAPACITY.test(reason)) return new BerthError('CONTAINER_CREATE_FAILED', `ECS: ${said}`);
  const retry_after = RETRY_AFTER_SECONDS;
  return new BerthError('CAPACITY_EXCEEDED', `ECS has no capacity for another task (${said})`, {
    retry_after,
  });
}

function missingDefinition(error: unknown, variable: string): BerthError | undefined {
  const said = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  if (!/task ?definition/i.test(said) || !/not found|inactive|unable to (find|describe)/i.test(said))
    return undefined;
  return new BerthError('IMAGE_PULL_FAILED', `${said} (${variable})`, {}, error);
}
