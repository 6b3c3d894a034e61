import { type Arns, shortName } from './api/arns.ts';
import { clientException } from './api/aws-error.ts';
import { checkDefinition } from './api/check-definition.ts';
import { checkedTags } from './api/tag-rules.ts';
import type { RegisterTaskDefinitionRequest } from './api/task-definition-shape.ts';

export interface TaskDefinition extends Omit<RegisterTaskDefinitionRequest, 'tags' | 'cpu' | 'memory'> {
  readonly taskDefinitionArn: string;
  readonly revision: number;
  readonly registeredAt: number;
  readonly compatibilities: readonly string[];
  readonly cpuUnits: number;
  readonly memoryMiB: number;
  readonly tags: ReadonlyMap<string, string>;
  status: 'ACTIVE' | 'INACTIVE';
  deregisteredAt?: number;
}

/** Task definitions by family, each with its revisions from 1. */
export class TaskDefinitionStore {
  readonly #arns: Arns;
  readonly #families = new Map<string, TaskDefinition[]>();

  constructor(arns: Arns) {
    this.#arns = arns;
  }

  register(request: RegisterTaskDefinitionRequest, now: number): TaskDefinition {
    const size = checkDefinition(request, this.#arns.region);
    const { tags, cpu: _, memory: __, ...rest } = request;
    const revisions = this.#families.get(request.family) ?? [];
    this.#families.set(request.family, revisions);
    const revision = revisions.length + 1;
    const definition: TaskDefinition = {
      ...rest,
      ...size,
      taskDefinitionArn: this.#arns.taskDefinition(request.family, revision),
      revision,
      registeredAt: now,
      compatibilities: [...new Set(['EC2', ...(request.requiresCompatibilities ?? [])])],
      tags: checkedTags(tags ?? []),
      status: 'ACTIVE',
    };
    revisions.push(definition);
    return definition;
  }

  /** By ARN, `family:revision`, or family: its latest that is active. Throws `ClientException` where there is none. */
  find(name: string): TaskDefinition {
    const found = this.known(name);
    if (found === undefined) throw clientException('Unable to describe task definition.');
    return found;
  }

  known(name: string): TaskDefinition | undefined {
    const [family = '', revision] = shortName('task-definition', name).split(':');
    const revisions = this.#families.get(family) ?? [];
    return revision === undefined
      ? revisions.findLast(({ status }) => status === 'ACTIVE')
      : revisions[Number(revision) - 1];
  }

  /** In the order of family and revision. */
  list(status: 'ACTIVE' | 'INACTIVE', ofFamily?: string): TaskDefinition[] {
    return [...this.#families]
      .filter(([family]) => ofFamily === undefined || family === ofFamily)
      .sort(([a], [b]) => a.localeCompare(b))
      .flatMap(([, revisions]) => revisions.filter((definition) => definition.status === status));
  }
}
