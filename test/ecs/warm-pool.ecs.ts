import { afterAll, beforeAll, describe } from 'vitest';
import { sharedMemory } from '../runtime/pool/shared-states.ts';
import { sharedPoolBehaviour, warmPoolBehaviour } from '../runtime/pool/warm-pool-behaviour.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith } from '../support/services/provided.ts';
import { ecsBackend, FAMILY, liveTasks, registerWorkspace, startEcs } from './ecs-on-docker.ts';

describeWith(['docker', 'workspace-base-image', 'proxy-sidecar-image'], 'the warm pool on ECS', () => {
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startEcs();
    await registerWorkspace(emulator); // once more
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  const backends = () => ({
    open: (options: { installation: string }) => ecsBackend(emulator, options),
    image: FAMILY,
    missingImage: `${FAMILY}:99`, // of the only family that the runtime may run
    versions: { before: `${FAMILY}:1`, after: `${FAMILY}:2` },
    hasTraces: (id: string) => liveTasks(emulator, id).length > 0,
    remove: async () => {},
  });
  describe('of one instance', () => warmPoolBehaviour(sharedMemory, backends));
  describe('of two', () => sharedPoolBehaviour(sharedMemory, backends));
});
