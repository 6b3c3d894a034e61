import { hash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '@aws-sdk/client-ecs';
import { openProven } from '../../../agent-client/proven-socket.ts';
import { BerthError } from '../../../contracts/errors.ts';
import type { VolumeName } from '../../../contracts/ids.ts';
import { LABEL } from '../../../contracts/labels.ts';
import { attachedRun } from '../../attached-run.ts';
import type { Installation } from '../../ownership.ts';
import type { VolumeJob, VolumeRun } from '../../volume-run.ts';
import { VolumeRuns } from '../../volume-runs.ts';
import type { EcsApi } from '../ecs-api.ts';
import { HELPER_CONTAINER, pairs, type TaskInput, type TaskSettings, taskInput } from '../task-input.ts';
import { refusal } from '../task-start.ts';
import { addressOf, endOf, isEnding, whyEnded } from '../task-view.ts';
import type { TaskWatch } from '../task-watch.ts';
import type { WorkspaceDefinitions } from '../workspace-definitions.ts';
import { beginRun } from './begin-run.ts';

export interface HelperSettings extends TaskSettings, Installation {
  /** How long AWS may take until a task has its address. */
  addressSeconds: number;
  /** How long from then until its program answers. */
  agentReadySeconds: number;
}

interface TaskJob extends VolumeJob {
  accessPoint: string;
}

interface Parts {
  api: EcsApi;
  watch: TaskWatch;
  definitions: WorkspaceDefinitions;
  settings: HelperSettings;
}

const STOP_REASON = 'berth: another call works on this volume';
const LOOK_AGAIN_MS = 200;
/** As many as can have worked on a volume of late. */
const MOST_BEFORE = 50;
const KILLED = 137;

/**
 * Tasks that work on the files of volumes, one a volume: RunTask's token sees to that. It comes from the volume and from
 * the task before, so that two that begin at once get the same task, and the later one ends it first.
 */
export class VolumeTasks {
  readonly #parts: Parts;
  /** Of this process; others' are known by their family. */
  readonly #runs = new VolumeRuns();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Ends whatever else is being done to the volume, then starts. */
  async start(job: TaskJob, signal: AbortSignal): Promise<VolumeRun> {
    const { volume } = job;
    await this.end(volume);
    const token = randomBytes(32).toString('hex');
    const arn = await this.#begin(job, token, signal);
    try {
      const run = await this.#attach(arn, job, token, signal);
      this.#runs.add(volume, run);
      return run;
    } catch (error) {
      await this.#stop(arn).catch(() => {}); // the next call on the volume does it
      signal.throwIfAborted();
      throw error;
    }
  }

  /** Also what a runtime that is gone had begun. */
  async end(volume: VolumeName): Promise<void> {
    const { api, definitions } = this.#parts;
    await this.#runs.end(volume);
    const found = await api.liveTasks({ family: await definitions.helperFamily(volume) });
    for (const { taskArn = '' } of found) await this.#stop(taskArn);
  }

  async close(): Promise<void> {
    await this.#runs.endAll();
  }

  async #begin(job: TaskJob, token: string, signal: AbortSignal): Promise<string> {
    const { api, definitions, settings } = this.#parts;
    const definition = await definitions.ofHelper(job.volume, job.accessPoint);
    const patience = { seconds: settings.addressSeconds, signal };
    let before = '';
    for (let attempt = 1; ; attempt += 1) {
      const started = await api.runTask(this.#input(definition, job.volume, token, before), patience);
      const [task] = started.tasks;
      if (task?.taskArn !== undefined) return task.taskArn;
      const other = started.existing?.[0];
      if (other === undefined) throw refusal(started.failures);
      if (attempt === MOST_BEFORE)
        throw new BerthError('BACKEND_UNAVAILABLE', `others work on ${job.volume} all the time`);
      await this.#stop(other);
      before = other;
    }
  }

  #input(definition: string, volume: VolumeName, token: string, before: string): TaskInput {
    const { settings } = this.#parts;
    const tags = {
      [LABEL.installation]: settings.installation,
      [LABEL.version]: settings.version,
      [LABEL.part]: HELPER_CONTAINER,
      [LABEL.partOf]: volume,
    };
    const environment = pairs({ VOLUME_TOKEN: token, VOLUME_PORT: String(settings.agentPort) });
    return {
      ...taskInput(definition, settings),
      clientToken: hash('sha256', `${definition.split('/').at(-1)?.split(':')[0]} ${before}`),
      startedBy: `berth-files/${volume}`,
      overrides: { containerOverrides: [{ name: HELPER_CONTAINER, environment }] },
      tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
    };
  }

  async #attach(arn: string, job: VolumeJob, token: string, signal: AbortSignal): Promise<VolumeRun> {
    const { addressSeconds, agentReadySeconds, agentPort } = this.#parts.settings;
    const host = await this.#within(addressSeconds, signal, (until) => this.#address(arn, job, until));
    const socket = await this.#within(agentReadySeconds, signal, async (until) => {
      const over = new AbortController();
      const either = AbortSignal.any([until, over.signal]);
      const connected = connection(host, agentPort, token, either);
      try {
        return await Promise.race([connected, this.#itsEnd(arn, job, either)]);
      } finally {
        over.abort();
        connected.catch(() => {}); // told already
      }
    });
    await beginRun(socket, token, job);
    let isOver = false;
    return attachedRun({
      connection: socket,
      exitCode: async () => {
        const end = await this.#ended(arn);
        isOver = true;
        return end.exitCode ?? KILLED;
      },
      broken: () => undefined,
      remove: async () => {
        if (!isOver) await this.#stop(arn);
      },
    });
  }

  /** One that ECS does not show yet is waited for: descriptions lag behind. */
  #address(arn: string, job: VolumeJob, until: AbortSignal): Promise<string> {
    return this.#parts.watch.until(
      arn,
      (task) => {
        if (task === 'missing') return undefined;
        if (isEnding(task)) throw earlyEnd(job, task);
        return addressOf(task);
      },
      until,
    );
  }

  #itsEnd(arn: string, job: VolumeJob, until: AbortSignal): Promise<never> {
    return this.#parts.watch.until<never>(
      arn,
      (task) => {
        if (task !== 'missing' && isEnding(task)) throw earlyEnd(job, task);
        return undefined;
      },
      until,
    );
  }

  async #within<T>(
    seconds: number,
    signal: AbortSignal,
    act: (until: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = AbortSignal.timeout(Math.ceil(seconds * 1000));
    try {
      return await act(AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      const detail = `the task that works on a volume does not answer within ${seconds} s`;
      throw new BerthError('BACKEND_UNAVAILABLE', detail, {}, error);
    }
  }

  /** Resolves once nothing of it can write any more. */
  async #stop(arn: string): Promise<void> {
    const { api } = this.#parts;
    const [task] = await api.describe([arn]);
    if (task !== undefined && endOf(task) !== undefined) return;
    await api.stopTask(arn, STOP_REASON);
    await this.#ended(arn);
  }

  #ended(arn: string): Promise<{ exitCode?: number | undefined }> {
    const judge = (task: Task | 'missing') => (task === 'missing' ? undefined : endOf(task));
    return this.#parts.watch.untilStopped(arn, judge, arn);
  }
}

/** Once its program listens, and is what it should be. */
async function connection(host: string, port: number, token: string, signal: AbortSignal): Promise<Socket> {
  for (;;) {
    try {
      return await openProven(host, port, token);
    } catch {
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
    }
  }
}

function earlyEnd({ volume }: VolumeJob, task: Task): BerthError {
  return new BerthError('ARCHIVE_FAILED', `the task that works on ${volume} ended: ${whyEnded(task)}`);
}
