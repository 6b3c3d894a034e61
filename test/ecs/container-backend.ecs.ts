import { containerBackendContract } from '../contract/container-backend/container-backend-contract.ts';
import { describeWith } from '../support/services/provided.ts';
import { ecsBackend, FAMILY, liveTasks, startEcs } from './ecs-on-docker.ts';

describeWith(['docker', 'workspace-base-image', 'proxy-sidecar-image'], 'the ecs backend', () => {
  containerBackendContract(async () => {
    const emulator = await startEcs();
    return {
      open: (options) => ecsBackend(emulator, options),
      image: FAMILY,
      missingImage: `${FAMILY}:99`, // of the only family that the runtime may run
      hasTraces: (id) => liveTasks(emulator, id).length > 0,
      remove: () => emulator[Symbol.asyncDispose](),
    };
  });
});
