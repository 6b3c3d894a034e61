import { getTaskDefinitionOutput } from '@pulumi/aws/ecs/getTaskDefinition.js';
import { all, type Output } from '@pulumi/pulumi';
import { parseFunctionTasks } from '../../runtime/contracts/function-task.ts';
import type { EcsPlace } from './ecs-place.ts';

/** What functions may run, and all that their tasks have to do with. */
export interface EcsFunctions {
  taskDefinitions: string[];
  /** That ECS and the programs themselves have. */
  roles: Output<string[]>;
  /** Where they print, as far as that is CloudWatch. */
  logGroups: Output<string[]>;
}

/** `name=ARN:port` each; what else is to be known of them, AWS is asked. */
export function ecsFunctions(
  place: EcsPlace,
  given: readonly string[] | undefined,
): EcsFunctions | undefined {
  if (given === undefined) return undefined;
  const taskDefinitions = [...new Set(tasksOf(given).map(({ taskDefinition }) => taskDefinition))];
  const { parent, partition, region, account } = place;
  const found = taskDefinitions.map((taskDefinition) =>
    getTaskDefinitionOutput({ taskDefinition }, { parent }),
  );
  const roles = all(found.map(({ executionRoleArn, taskRoleArn }) => all([executionRoleArn, taskRoleArn])));
  const containers = all(found.map(({ containerDefinitions }) => containerDefinitions));
  return {
    taskDefinitions,
    roles: roles.apply((each) => distinct(each.flat().filter(Boolean))),
    logGroups: all([containers, partition, region, account]).apply(([each, ...where]) =>
      distinct(each.flatMap((definitions) => logGroups(definitions, where))),
    ),
  };
}

/** Where their programs listen. */
export function functionPorts(given: readonly string[] | undefined): number[] {
  return [...new Set(tasksOf(given ?? []).map(({ port }) => port))];
}

function tasksOf(given: readonly string[]) {
  if (given.length === 0) return [];
  const parsed = parseFunctionTasks(given.join(','));
  return 'tasks' in parsed ? parsed.tasks : []; // what is wrong with it was told before
}

function logGroups(definitions: string, [partition, region, account]: [string, string, string]): string[] {
  const containers = JSON.parse(definitions || '[]') as {
    logConfiguration?: { logDriver?: string; options?: Record<string, string> };
  }[]; // AWS wrote it
  return containers.flatMap(({ logConfiguration: { logDriver, options = {} } = {} }) => {
    const group = logDriver === 'awslogs' ? options['awslogs-group'] : undefined;
    const place = `${options['awslogs-region'] ?? region}:${account}`;
    return group === undefined ? [] : `arn:${partition}:logs:${place}:log-group:${group}`;
  });
}

function distinct(list: string[]): string[] {
  return [...new Set(list)].sort();
}
