import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { workspacesWork } from '../e2e/workspaces.e2e.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith } from '../support/services/provided.ts';
import { ecsFilesEnv, startEcsWithFiles } from './ecs-on-docker.ts';

describeWith(
  ['docker', 'workspace-base-image', 'proxy-sidecar-image', 'workspace-editor-image'],
  'a workspace on ECS',
  () => {
    const installation = `e2e-${randomBytes(4).toString('hex')}`;
    let emulator: EcsEmulator;
    beforeAll(async () => {
      emulator = await startEcsWithFiles([installation]);
    });
    afterAll(() => emulator[Symbol.asyncDispose]());

    workspacesWork(() => ({ ...ecsFilesEnv(emulator), BERTH_INSTALLATION: installation }));
  },
);
