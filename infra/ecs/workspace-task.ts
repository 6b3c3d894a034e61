import { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import { all, type Input, type Output } from '@pulumi/pulumi';
import { SANDBOX_UID } from '../../runtime/contracts/container-limits.ts';
import { agentContainers } from './agent-task.ts';
import { type ContainerDefinition, hardened } from './container-definition.ts';
import type { EcsPlace } from './ecs-place.ts';

const HELPER_PORT = 9000;
const PROXY_PORT = 3128;
const PROXY_ADMIN_PORT = 8081;
/** Whatever runs here keeps nothing that takes time to put away: its files are on the volume. */
const STOP_SECONDS = 2;

interface WorkspaceTask {
  editorImage: string;
  helperImage: string;
  sidecarImage: string;
  log: { group: string; region: string };
}

type WorkspaceContainer = Omit<ContainerDefinition, 'healthCheck' | 'portMappings' | 'environment'> &
  Partial<ContainerDefinition>;

/**
 * What the runtime makes tasks of workspaces after: the program, whose image and port it puts in, its egress proxy, and
 * apart from them what works on the files of a home. It is never run as it is.
 */
export function workspaceContainers(task: WorkspaceTask): WorkspaceContainer[] {
  const { editorImage, helperImage, sidecarImage, log } = task;
  const common = { ...hardened(log), user: `${SANDBOX_UID}:${SANDBOX_UID}`, stopTimeout: STOP_SECONDS };
  const [, sidecar] = agentContainers({ agentImage: helperImage, sidecarImage, log });
  if (sidecar === undefined) throw new Error('The task of a conversation has a proxy beside it.');
  return [
    { ...common, name: 'workspace-app', image: editorImage },
    {
      ...sidecar,
      portMappings: [{ containerPort: PROXY_ADMIN_PORT, protocol: 'tcp' }],
      environment: [
        { name: 'PROXY_LISTEN_PORT', value: String(PROXY_PORT) },
        { name: 'ADMIN_PORT', value: String(PROXY_ADMIN_PORT) },
      ],
      stopTimeout: STOP_SECONDS,
    },
    {
      ...common,
      name: 'volume-helper',
      image: helperImage,
      command: ['node', '--disable-sigusr1', '/opt/berth/volume.mjs'],
      portMappings: [{ containerPort: HELPER_PORT, protocol: 'tcp' }],
    },
  ];
}

interface Given {
  place: EcsPlace;
  editorImage: Output<string>;
  helperImage: Output<string>;
  sidecarImage: Output<string>;
  logGroup: Output<string>;
  executionRoleArn: Input<string>;
  onInstances: boolean;
}

/** It has no task role: any container of a task could read its credentials. Homes are mounted without. */
export function workspaceTask({ place, editorImage, helperImage, sidecarImage, logGroup, ...given }: Given) {
  const { name, parent, tags, region } = place;
  return new TaskDefinition(
    `${name}-workspace`,
    {
      family: `${name}-workspace`,
      networkMode: 'awsvpc',
      requiresCompatibilities: given.onInstances ? ['FARGATE', 'EC2'] : ['FARGATE'],
      cpu: '2048',
      memory: '4096',
      executionRoleArn: given.executionRoleArn,
      runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' },
      containerDefinitions: all([editorImage, helperImage, sidecarImage, logGroup, region]).apply(
        ([editor, helper, sidecar, group, where]) =>
          JSON.stringify(
            workspaceContainers({
              editorImage: editor,
              helperImage: helper,
              sidecarImage: sidecar,
              log: { group, region: where },
            }),
          ),
      ),
      skipDestroy: true, // a runtime that is being replaced never names a dead one
      tags,
    },
    { parent },
  );
}
