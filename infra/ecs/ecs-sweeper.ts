import { fileURLToPath } from 'node:url';
import type { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import { Function as LambdaFunction } from '@pulumi/aws/lambda/function.js';
import { Invocation } from '@pulumi/aws/lambda/invocation.js';
import { all, asset, type Input, type Output, type Resource } from '@pulumi/pulumi';
import { workspaceFamilies } from '../../runtime/contracts/workspace-task.ts';
import { destroyCommand } from '../destroy-command.ts';
import { logGroup } from './ecs-cluster.ts';
import { type EcsPlace, taskFamilies } from './ecs-place.ts';
import { sweeperRole } from './ecs-roles.ts';
import type { SweepOrder } from './sweeper-function/index.mjs';

/** As long as Lambda lets a function run. */
const SECONDS = 900;
export const CODE = ['index.mjs', 'revisions.mjs'];
const codeOf = (file: string) => fileURLToPath(new URL(`sweeper-function/${file}`, import.meta.url));

interface Given {
  place: EcsPlace;
  clusterArn: Output<string>;
  /** The runtime's own. */
  task: TaskDefinition;
  /** Its ARN without a revision, known before there is one: a new revision changes no policy. */
  taskFamily: Output<string>;
  taskRoles: Input<string>[];
  container: string;
  subnetIds: Output<string[]>;
  securityGroupId: Output<string>;
  logGroup: Output<string>;
  destroyData: boolean;
  /** All that a runtime needs to save and to end tasks. */
  dependsOn: Output<Resource[]>;
}

/**
 * What is made before the runtime's service, and so is deleted after it and before all that a runtime needs. Its
 * deletion ends every task of a conversation or a workspace, files saved first, and deregisters all revisions. It does
 * nothing when it is made or changed; and the name of its function, which alone makes it another, stays.
 */
export function ecsSweeper(given: Given): Invocation {
  const { place, clusterArn, task, dependsOn } = given;
  const { name, parent, tags } = place;
  const called = `${name}-sweeper`;
  const log = logGroup(place, 'sweeper');
  const { role, granted } = sweeperRole(place, {
    cluster: clusterArn,
    taskFamily: given.taskFamily,
    taskRoles: all(given.taskRoles),
    logGroup: log.arn,
  });
  const sweeper = new LambdaFunction(
    called,
    {
      name: called,
      description: `Berth ${name}: ends conversations when the platform goes, and old revisions`,
      runtime: 'nodejs24.x',
      architectures: ['arm64'],
      handler: 'index.handler',
      code: new asset.AssetArchive(
        Object.fromEntries(CODE.map((file) => [file, new asset.FileAsset(codeOf(file))])),
      ),
      role: role.arn,
      timeout: SECONDS,
      memorySize: 256,
      loggingConfig: { logFormat: 'Text', logGroup: log.name },
      tags,
    },
    { parent, dependsOn: [granted] },
  );
  const order = all([
    clusterArn,
    task.arn,
    task.family,
    given.subnetIds,
    given.securityGroupId,
    given.logGroup,
  ]).apply(
    ([cluster, taskDefinition, family, subnets, securityGroup, tasksLog]): SweepOrder => ({
      cluster,
      taskDefinition,
      family,
      container: given.container,
      command: destroyCommand(given.destroyData),
      subnets,
      securityGroups: [securityGroup],
      logGroup: tasksLog,
      families: taskFamilies(name),
      workspaceFamilies: workspaceFamilies(`${name}-workspace`, name),
      purge: given.destroyData,
    }),
  );
  return new Invocation(
    called,
    {
      functionName: sweeper.name,
      lifecycleScope: 'CRUD',
      input: order.apply((value) => JSON.stringify(value)),
    },
    { parent, dependsOn },
  );
}
