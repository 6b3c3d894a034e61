import type { Output, Resource } from '@pulumi/pulumi';
import type { Conversations } from './conversations.ts';
import { OBJECT_PREFIX } from './ecs-bucket.ts';
import type { EcsPlace } from './ecs-place.ts';
import { allowRuntime, bedrockRole, runtimeRole } from './ecs-roles.ts';

interface Given {
  clusterArn: Output<string>;
  agents: Conversations;
  bucketArn: Output<string>;
  bedrockRegion: string | undefined;
}

/** What the runtime is to AWS: its own role, and the one for models that it may assume. */
export function runtimeAccess(
  place: EcsPlace,
  { clusterArn, agents, bucketArn, bedrockRegion }: Given,
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
  });
  return {
    roleArn: role.arn,
    bedrockRole: models?.role.arn,
    granted: [granted, agents.execution.granted, ...(models ? [models.granted] : [])],
  };
}
