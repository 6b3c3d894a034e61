import type { FleetPlace } from '../runtime/sweep/fleet-place.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { onEcs } from './ecs-cluster.ts';
import { ecsBackend } from './ecs-on-docker.ts';

/** A fleet whose containers are tasks. */
export function fleetOnEcs(emulator: EcsEmulator): FleetPlace {
  const { kill, silence } = onEcs(emulator);
  const place: FleetPlace = {
    image: 'workspace-agent',
    open: ({ installation }) => ecsBackend(emulator, { installation }),
    kill,
    silence,
    async cuttable() {
      let restore = () => {};
      return {
        ...place,
        // An API that is silent is tried again for a while; to one that lets nobody in all is said at once.
        cut() {
          const fault = { kind: 'error', code: 'AccessDeniedException' } as const;
          restore = emulator.faults.add({ operation: '*', ...fault, times: Number.POSITIVE_INFINITY });
        },
        restore: () => restore(),
        [Symbol.asyncDispose]: async () => restore(),
      };
    },
  };
  return place;
}
