import type { RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';
import { type WorkspaceTaskDefinition, workspaceTaskDefinition } from './workspace-task-definition.ts';

/** The task that those of workspaces are made after: beside the proxy, what a workspace runs and what sees to its files. */
export function appTaskDefinition(
  options: WorkspaceTaskDefinition & { editorImage: string },
): RegisterTaskDefinitionCommandInput {
  const { containerDefinitions: [agent, sidecar] = [], ...definition } = workspaceTaskDefinition({
    cpu: '1024',
    memory: '2048',
    ...options,
    family: options.family ?? 'workspace',
  });
  if (agent === undefined || sidecar === undefined) throw new Error('The task of a conversation is another.');
  const common = {
    essential: true,
    readonlyRootFilesystem: true,
    user: agent.user,
    linuxParameters: { capabilities: { drop: ['ALL'] }, initProcessEnabled: true },
    stopTimeout: 2,
    logConfiguration: agent.logConfiguration,
  };
  return {
    ...definition,
    containerDefinitions: [
      { ...common, name: 'workspace-app', image: options.editorImage },
      {
        ...sidecar,
        portMappings: [{ containerPort: 8081, protocol: 'tcp' }],
        environment: [
          { name: 'PROXY_LISTEN_PORT', value: '3128' },
          { name: 'ADMIN_PORT', value: '8081' },
        ],
        stopTimeout: 2,
      },
      {
        ...common,
        name: 'volume-helper',
        image: options.agentImage,
        command: ['node', '--disable-sigusr1', '/opt/berth/volume.mjs'],
        portMappings: [{ containerPort: 9000, protocol: 'tcp' }],
      },
    ],
  };
}
