import {
  CreateClusterCommand,
  DeleteClusterCommand,
  PutClusterCapacityProvidersCommand,
} from '@aws-sdk/client-ecs';
import type { ClusterArgs } from '@pulumi/aws/ecs/cluster.js';
import type { ClusterCapacityProvidersArgs } from '@pulumi/aws/ecs/clusterCapacityProviders.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { Effects } from '../aws-type.ts';
import { ecs } from './ecs-client.ts';

/** A cluster of the emulator's, which keeps it while it has tasks or services. Its settings are only written down. */
export const cluster: Effects<Unwrap<ClusterArgs>> = {
  async created({ name, tags = {} }) {
    const { cluster: made } = await ecs.send(
      new CreateClusterCommand({
        clusterName: name,
        tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
      }),
    );
    return { id: made?.clusterArn, arn: made?.clusterArn };
  },
  async deleting({ name }) {
    await ecs.send(new DeleteClusterCommand({ cluster: name }));
  },
};

type Capacity = Unwrap<ClusterCapacityProvidersArgs>;

async function put({ clusterName, capacityProviders: providers = [] }: Capacity): Promise<void> {
  await ecs.send(
    new PutClusterCapacityProvidersCommand({
      cluster: clusterName,
      capacityProviders: providers,
      defaultCapacityProviderStrategy: [],
    }),
  );
}

/** What a cluster runs tasks on; none once this is deleted. */
export const capacityProviders: Effects<Capacity> = {
  async created(args) {
    await put(args);
    return {};
  },
  async updated(args) {
    await put(args);
    return {};
  },
  deleting: ({ clusterName }) => put({ clusterName }),
};
