import { randomBytes } from 'node:crypto';
import { afterAll, describe } from 'vitest';
import { conversationsWork } from '../e2e/conversation.e2e.ts';
import { tenantsAreApart } from '../e2e/tenants.e2e.ts';
import { removeContainers } from '../support/remove-containers.ts';
import { describeWith, docker, redis, workspaceImage } from '../support/services/provided.ts';

describeWith(['docker', 'redis', 'workspace-base-image'], 'conversations on Docker and Redis', () => {
  const installation = `e2e-${randomBytes(4).toString('hex')}`;
  // A shared store outlives its instance, and so do the containers.
  afterAll(() => removeContainers(docker().host, installation));

  const env = () => ({
    CONTAINER_MANAGER_TYPE: 'docker',
    DOCKER_HOST: docker().host,
    WORKSPACE_IMAGE: workspaceImage(),
    REDIS_URL: redis().url,
    REDIS_KEY_PREFIX: `e2e-${randomBytes(4).toString('hex')}:`,
    BERTH_SINGLE_INSTANCE: '1',
    BERTH_INSTALLATION: installation,
    BERTH_SECRET: randomBytes(32).toString('hex'),
  });
  conversationsWork(env);
  describe('tenants', () => tenantsAreApart(env));
});
