import { all, type Output, type Resource } from '@pulumi/pulumi';
import type { Conversations } from './conversations.ts';
import { OBJECT_PREFIX } from './ecs-bucket.ts';
import type { EcsPlace } from './ecs-place.ts';
import { allowRuntime, bedrockRole, runtimeRole } from './ecs-roles.ts';
import type { EcsFunctions } from './function-tasks.ts';
import type { EcsWorkspaces } from './workspaces.ts';

interface Given {
  clusterArn: Output<string>;
  agents: Conversations;
  workspaces: EcsWorkspaces;
  functions: EcsFunctions | undefined;
  bucketArn: Output<string>;
  bedrockRegion: string | undefined;
}

/** What the runtime is to AWS: its own role, and the one for models that it may assume. */
export function runtimeAccess(
  place: EcsPlace,
  { clusterArn, agents, workspaces, functions, bucketArn, bedrockRegion }: Given,
): { roleArn: Output<string>; bedrockRole: Output<string> | undefined; granted: Resource[] } {
  const role = runtimeRole(place, clusterArn);
  const models = bedrockRegion === undefined ? undefined : bedrockRole(place, role, bedrockRegion);
  const granted = allowRuntime(place, role, {
    cluster: clusterArn,
    taskFamily: agents.task.arnWithoutRevision,
    executionRole: agents.execution.role.arn,
    logGroup: agents.log.arn,
    bucket: bucketArn,
    prefix: OBJECT_PREFIX,
    bedrockRole: models?.role.arn,
    functions:
      functions &&
      all([functions.roles, functions.logGroups]).apply(([roles, logGroups]) => {
        return { taskDefinitions: functions.taskDefinitions, roles, logGroups };
      }),
    workspaces: all([
      workspaces.task.arnWithoutRevision,
      workspaces.execution.role.arn,
      workspaces.files.arn,
    ]).apply(([taskFamily, executionRole, fileSystem]) => {
      return { installation: place.name, taskFamily, executionRole, fileSystem };
    }),
  });
  return {
    roleArn: role.arn,
    bedrockRole: models?.role.arn,
    granted: [
      granted,
      agents.execution.granted,
      workspaces.execution.granted,
      ...(models ? [models.granted] : []),
    ],
  };
}
