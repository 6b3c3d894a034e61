import { describe, expect, it } from 'vitest';
import { agentContainers } from '../../../infra/ecs/agent-task.ts';
import { workspaceTaskDefinition } from '../../support/ecs-emulator/workspace-task-definition.ts';

describe("a conversation's task", () => {
  it('is the one that is known to run', () => {
    const images = { agentImage: 'agent@sha256:1', sidecarImage: 'sidecar@sha256:2' };
    const known = workspaceTaskDefinition({ ...images, region: 'eu-west-1', logGroup: '/ecs/agents' });
    expect(agentContainers({ ...images, log: { group: '/ecs/agents', region: 'eu-west-1' } })).toEqual(
      known.containerDefinitions,
    );
  });
});
