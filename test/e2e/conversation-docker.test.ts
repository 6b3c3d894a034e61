import { describe } from 'vitest';
import { describeWith, docker, workspaceImage } from '../support/services/provided.ts';
import { conversationsWork } from './conversation.e2e.ts';
import { tenantsAreApart } from './tenants.e2e.ts';
import { terminalsAndTime } from './terminals.e2e.ts';

describeWith(['docker', 'workspace-base-image'], 'conversations on Docker', () => {
  const env = () => ({
    CONTAINER_MANAGER_TYPE: 'docker',
    DOCKER_HOST: docker().host,
    WORKSPACE_IMAGE: workspaceImage(),
  });
  conversationsWork(env);
  describe('terminals', () => terminalsAndTime(env));
  describe('tenants', () => tenantsAreApart(env));
});
