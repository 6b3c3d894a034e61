import type { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import type { Output, Resource } from '@pulumi/pulumi';
import type { Conversations } from './conversations.ts';
import { ecsFiles } from './ecs-files.ts';
import { type EcsImage, ecsImage } from './ecs-images.ts';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { executionRole, type GrantedRole } from './ecs-roles.ts';
import type { SecurityGroups } from './security-groups.ts';
import { workspaceTask } from './workspace-task.ts';

interface Given {
  clusterArn: Output<string>;
  version: string;
  onInstances: boolean;
  network: EcsNetwork;
  groups: SecurityGroups;
  agents: Conversations;
  destroyData: boolean;
}

export interface EcsWorkspaces {
  task: TaskDefinition;
  execution: GrantedRole;
  /** What a workspace runs that names no image. */
  editorImage: EcsImage;
  files: { id: Output<string>; arn: Output<string> };
  /** What homes are mounted by. */
  mounted: Output<Resource[]>;
  securityGroup: Output<string>;
}

/** What the runtime makes workspaces of: where their homes are, and a task definition that theirs are made after. */
export function workspaces(place: EcsPlace, given: Given): EcsWorkspaces {
  const { clusterArn, agents, network, groups, destroyData } = given;
  const editorImage = ecsImage(place, 'workspace-editor', given.version);
  const execution = executionRole({
    place,
    clusterArn,
    called: 'workspace',
    repositories: [editorImage, agents.agentImage, agents.proxyImage].map(
      ({ repositoryArn }) => repositoryArn,
    ),
    logGroup: agents.log.arn,
    secrets: [],
  });
  const task = workspaceTask({
    place,
    editorImage: editorImage.ref,
    helperImage: agents.agentImage.ref,
    sidecarImage: agents.proxyImage.ref,
    logGroup: agents.log.name,
    executionRoleArn: execution.role.arn,
    onInstances: given.onInstances,
  });
  const homes = ecsFiles({ place, network, securityGroupId: groups.files.id, destroyData });
  return { task, execution, editorImage, ...homes, securityGroup: groups.workspaces.id };
}
