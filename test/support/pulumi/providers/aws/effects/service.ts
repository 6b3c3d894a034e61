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
    if (!(await steady(args))) throw new Error(`timeout while waiting for ${name} to become steady`);
    return { id: made?.serviceArn, arn: made?.serviceArn };
  },
  async updated(args) {
    const { name, cluster, taskDefinition, desiredCount, deploymentCircuitBreaker: breaker } = args;
    const update = (definition: string | undefined) =>
      ecs.send(
        new UpdateServiceCommand({ service: name, cluster, taskDefinition: definition, desiredCount }),
      );
    const { taskDefinition: before } = await described(name, cluster);
    await update(taskDefinition);
    if (await steady(args)) return { taskDefinition };
    if (!breaker?.enable || !breaker.rollback)
      throw new Error(`timeout while waiting for ${name} to become steady`);
    await update(before);
    await steady(args);
    return { taskDefinition: before };
  },
  async deleting({ name, cluster }) {
    await ecs.send(new DeleteServiceCommand({ service: name, cluster, force: true }));
    await become(name, cluster, ({ status }) => status === 'INACTIVE');
  },
};

/**
 * Waits where it is told to, and says whether it became steady or was given up. The real provider waits on until ECS has
 * rolled back, which is steady, too, and no error; or until it has waited long enough.
 */
async function steady({ name, cluster, waitForSteadyState }: Args): Promise<boolean> {
  if (!waitForSteadyState) return true;
  const { deployments: [first] = [] } = await become(name, cluster, ({ deployments: [now] = [] }) =>
    ['COMPLETED', 'FAILED'].includes(now?.rolloutState ?? ''),
  );
  return first?.rolloutState === 'COMPLETED';
}

async function become(
  name: string | undefined,
  cluster: string | undefined,
  reached: (service: Service) => boolean,
): Promise<Service> {
  for (; ; await sleep(LOOK_EVERY_MS)) {
    const found = await described(name, cluster);
    if (reached(found)) return found;
  }
}

async function described(name: string | undefined, cluster: string | undefined): Promise<Service> {
  const command = new DescribeServicesCommand({ cluster, services: [name ?? ''] });
  const { services: [found] = [] } = await ecs.send(command);
  if (found === undefined) throw new Error(`ServiceNotFoundException: there is no service '${name}'`);
  return found;
}
