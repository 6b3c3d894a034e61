import {
  DeregisterTaskDefinitionCommand,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
} from '@aws-sdk/client-ecs';
import type { TaskDefinitionArgs } from '@pulumi/aws/ecs/taskDefinition.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { Effects } from '../aws-type.ts';
import { ecs } from './ecs-client.ts';

/** A revision of the emulator's. */
export const taskDefinition: Effects<Unwrap<TaskDefinitionArgs>> = {
  async created({ containerDefinitions, skipDestroy: _, tags = {}, ...same }) {
    const request = {
      ...same,
      containerDefinitions: JSON.parse(containerDefinitions),
      tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
    } as RegisterTaskDefinitionCommandInput; // the emulator refuses what is none
    const { taskDefinition: made } = await ecs.send(new RegisterTaskDefinitionCommand(request));
    const arn = made?.taskDefinitionArn ?? '';
    return { id: arn, arn, arnWithoutRevision: arn.replace(/:\d+$/, ''), revision: made?.revision };
  },
  async deleting({ skipDestroy }, { properties }) {
    if (skipDestroy) return;
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: String(properties.arn) }));
  },
};
