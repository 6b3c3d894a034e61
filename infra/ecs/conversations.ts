import type { LogGroup } from '@pulumi/aws/cloudwatch/logGroup.js';
import type { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import type { Output } from '@pulumi/pulumi';
import { agentTask } from './agent-task.ts';
import { logGroup } from './ecs-cluster.ts';
import { type EcsImage, ecsImage } from './ecs-images.ts';
import type { EcsPlace } from './ecs-place.ts';
import { executionRole, type GrantedRole } from './ecs-roles.ts';

interface Given {
  clusterArn: Output<string>;
  version: string;
  onInstances: boolean;
}

export interface Conversations {
  task: TaskDefinition;
  execution: GrantedRole;
  log: LogGroup;
  /** Which works on the files of workspaces, too. */
  agentImage: EcsImage;
  /** Which the egress service is, too. */
  proxyImage: EcsImage;
}

/** What the runtime makes conversations of: a task definition, with its images, its log and what starts it. */
export function conversations(place: EcsPlace, given: Given): Conversations {
  const { clusterArn, version, onInstances } = given;
  const agentImage = ecsImage(place, 'workspace-base', version);
  const proxyImage = ecsImage(place, 'proxy-sidecar', version);
  const log = logGroup(place, 'workspace-agent');
  const execution = executionRole({
    place,
    clusterArn,
    called: 'workspace-agent',
    repositories: [agentImage.repositoryArn, proxyImage.repositoryArn],
    logGroup: log.arn,
    secrets: [],
  });
  const task = agentTask({
    place,
    agentImage: agentImage.ref,
    sidecarImage: proxyImage.ref,
    logGroup: log.name,
    executionRoleArn: execution.role.arn,
    onInstances,
  });
  return { task, execution, log, agentImage, proxyImage };
}
