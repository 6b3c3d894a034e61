import type { Task } from '@aws-sdk/client-ecs';
import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { TaskPlace } from '../../state/task-store.ts';
import type { ContainerView } from '../container-backend.ts';
import { DescribedTogether } from './described-together.ts';
import type { EcsApi } from './ecs-api.ts';
import { Missing } from './missing.ts';
import type { TaskDirectory } from './task-directory.ts';
import { startedBy } from './task-input.ts';
import { addressOf, hasStopped, isEnding, isWorkspace, taskView, wasStopped } from './task-view.ts';

interface Parts {
  api: EcsApi;
  directory: TaskDirectory;
  installation: string;
}

/** Finds the tasks of containers: by what the directory has, as ECS describes it now, or else by their names. */
export class TaskLookup {
  readonly #parts: Parts;
  readonly #descriptions: DescribedTogether;
  readonly #missing = new Missing();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#descriptions = new DescribedTogether((arns) => parts.api.describe(arns));
  }

  /** Undefined: there is none, or somebody has stopped it. Throws while it is not sure. */
  async find(id: ContainerId): Promise<Task | undefined> {
    const place = await this.#parts.directory.find(id);
    const task = place === undefined ? await this.#search(id) : await this.#look(id, place);
    return task !== undefined && hasStopped(task) && wasStopped(task) ? undefined : task;
  }

  /** Of this very task, or of the one that there is. */
  async address(id: ContainerId, arn: string | undefined): Promise<string | undefined> {
    const place = await this.#parts.directory.find(id);
    const isMeant = arn === undefined || place?.arn === arn;
    const known = isMeant ? place?.address : undefined;
    return known ?? (await this.#searchAddress(id, isMeant ? place?.arn : arn));
  }

  /** The ARNs of all that are to be stopped for it to be gone; with one that is meant, only that. */
  async arns(id: ContainerId, meant: string | undefined): Promise<string[]> {
    const known = meant ?? (await this.#parts.directory.find(id))?.arn;
    const isAll = meant !== undefined || (known !== undefined && !isWorkspace(id));
    const found = isAll ? [] : (await this.#live(id)).flatMap(({ taskArn }) => taskArn ?? []);
    return [...new Set([...(known === undefined ? [] : [known]), ...found])];
  }

  async isLive(id: ContainerId): Promise<boolean> {
    return (await this.#live(id)).length > 0;
  }

  /** All of this installation, with one list. */
  async list(): Promise<ContainerView[]> {
    const { api, directory, installation } = this.#parts;
    const views: ContainerView[] = [];
    const places = new Map<ContainerId, TaskPlace>();
    for (const task of await api.liveTasks()) {
      const view = taskView(task, installation);
      if (view === undefined) continue;
      places.set(view.id, placeOf(view.engineId, task));
      views.push(view);
    }
    await directory.learnAll(places);
    return views;
  }

  /** Throws while it is not sure: one that ECS does not show twice, a minute apart, is gone. */
  async #look(id: ContainerId, { arn }: TaskPlace): Promise<Task | undefined> {
    const task = await this.#descriptions.describe(arn);
    if (task !== undefined) this.#missing.seen(id);
    else if (!this.#missing.isGone(id, performance.now())) {
      throw new BerthError('BACKEND_UNAVAILABLE', `ECS does not show the task of ${id}; it is asked again`);
    }
    // Of an app there may be a later one, which nobody remembers.
    if (isWorkspace(id) && (task === undefined || isEnding(task))) return (await this.#search(id)) ?? task;
    return task;
  }

  /** A task of ours that nobody remembers, by the name it was started with. */
  async #search(id: ContainerId): Promise<Task | undefined> {
    const [found] = await this.#live(id);
    if (found?.taskArn !== undefined && !isEnding(found)) {
      await this.#parts.directory.learn(id, placeOf(found.taskArn, found));
    }
    return found;
  }

  async #searchAddress(id: ContainerId, arn: string | undefined): Promise<string | undefined> {
    const task = arn === undefined ? await this.#search(id) : await this.#descriptions.describe(arn);
    return task && addressOf(task);
  }

  async #live(id: ContainerId): Promise<Task[]> {
    const { api, installation } = this.#parts;
    const tasks = await api.liveTasks({ startedBy: startedBy(id) });
    return tasks.filter((task) => taskView(task, installation) !== undefined);
  }
}

function placeOf(arn: string, task: Task): TaskPlace {
  const address = addressOf(task);
  return { arn, ...(address !== undefined && { address }) };
}
