import { vi } from 'vitest';
import { appsContract } from '../contract/container-backend/apps/apps-contract.ts';
import { ecsAppIsolation, ecsApps } from '../contract/container-backend/apps/ecs-apps.ts';
import { describeWith } from '../support/services/provided.ts';

vi.setConfig({ hookTimeout: 60_000 });

describeWith(
  ['docker', 'workspace-base-image', 'proxy-sidecar-image', 'workspace-editor-image'],
  'apps of the ecs backend',
  () => {
    appsContract(ecsApps, ecsAppIsolation);
  },
);
