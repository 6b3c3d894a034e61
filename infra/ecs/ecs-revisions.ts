import { Invocation } from '@pulumi/aws/lambda/invocation.js';
import { all, type Output, type Resource } from '@pulumi/pulumi';
import { type EcsPlace, taskFamilies } from './ecs-place.ts';
import type { RevisionsOrder } from './sweeper-function/index.mjs';

interface Given {
  place: EcsPlace;
  /** The function that is called. */
  sweeper: Output<string>;
  /** ARNs of the task definitions that are deployed, known once the services run them. */
  deployed: Output<string>[];
  dependsOn: Resource[];
}

/**
 * Revisions are never deleted with their resources: while the runtime is replaced both old and new name theirs, and a
 * deployment that fails is rolled back. This comes last in a deployment that has succeeded, and deregisters what is older
 * than the one before; the sweeper does the rest when the platform goes.
 */
export function ecsRevisions({ place, sweeper, deployed, dependsOn }: Given): Invocation {
  const { name, parent } = place;
  const order = all(deployed).apply((revisions): RevisionsOrder => {
    return { families: taskFamilies(name), revisions };
  });
  return new Invocation(
    `${name}-revisions`,
    {
      functionName: sweeper,
      lifecycleScope: 'CRUD',
      input: order.apply((value) => JSON.stringify(value)),
    },
    { parent, dependsOn },
  );
}
