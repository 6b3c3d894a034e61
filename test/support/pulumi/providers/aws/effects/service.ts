import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateServiceCommand,
  DeleteServiceCommand,
  DescribeServicesCommand,
  type Service,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs';
import type { ServiceArgs } from '@pulumi/aws/ecs/service.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { Effects } from '../aws-type.ts';
import { ecs } from './ecs-client.ts';

type Args = Unwrap<ServiceArgs>;

const LOOK_EVERY_MS = 200;

/** A service of the emulator's, whose tasks run. Balancers, registries and what else is not emulated is written down. */
export const service: Effects<Args> = {
  async created(args) {
    const { name, cluster, taskDefinition, desiredCount, networkConfiguration, launchType } = args;
    const { service: made } = await ecs.send(
      new CreateServiceCommand({
        serviceName: name,
        cluster,
        taskDefinition,
        desiredCount,
        launchType: launchType === 'FARGATE' ? launchType : undefined,
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: networkConfiguration?.subnets,
            securityGroups: networkConfiguration?.securityGroups,
            assignPublicIp: networkConfiguration?.assignPublicIp ? 'ENABLED' : 'DISABLED',
          },
        },
      }),
    );
    await steady(args);
    return { id: made?.serviceArn, arn: made?.serviceArn };
  },
  async updated(args) {
    const { name, cluster, taskDefinition, desiredCount } = args;
    await ecs.send(new UpdateServiceCommand({ service: name, cluster, taskDefinition, desiredCount }));
    await steady(args);
    return {};
  },
  async deleting({ name, cluster }) {
    await ecs.send(new DeleteServiceCommand({ service: name, cluster, force: true }));
    await become(name, cluster, ({ status }) => status === 'INACTIVE');
  },
};

/** As the real provider, it waits where it is told to, and a deployment that is given up is an error. */
async function steady({ name, cluster, waitForSteadyState }: Args): Promise<void> {
  if (!waitForSteadyState) return;
  await become(name, cluster, ({ deployments: [first] = [] }) => {
    if (first?.rolloutState === 'FAILED')
      throw new Error(`ECS deployment failed: ${first.rolloutStateReason ?? 'tasks failed to start'}`);
    return first?.rolloutState === 'COMPLETED';
  });
}

async function become(
  name: string | undefined,
  cluster: string | undefined,
  reached: (service: Service) => boolean,
): Promise<void> {
  for (; ; await sleep(LOOK_EVERY_MS)) {
    const command = new DescribeServicesCommand({ cluster, services: [name ?? ''] });
    const { services: [found] = [] } = await ecs.send(command);
    if (found !== undefined && reached(found)) return;
  }
}
