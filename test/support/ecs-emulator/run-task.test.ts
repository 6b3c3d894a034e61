import { type ConflictException, RunTaskCommand, type RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../must.ts';
import { ArrangedEmulator, refusal } from './arranged-emulator.ts';

const HOUR_MS = 3_600_000;

describe('RunTask', () => {
  let arranged: ArrangedEmulator;
  beforeEach(async () => {
    arranged = await ArrangedEmulator.start();
    await arranged.register();
  });
  afterEach(() => arranged[Symbol.asyncDispose]());

  const send = (changes: Partial<RunTaskCommandInput>) =>
    arranged.ecs.send(new RunTaskCommand(arranged.runInput(changes)));
  const refused = (changes: Partial<RunTaskCommandInput>) => refusal(send(changes));
  const vpc = (changes: object) => ({
    networkConfiguration: {
      awsvpcConfiguration: { subnets: [...arranged.emulator.subnets], ...changes },
    },
  });

  // API_RunTask, count: "You can specify up to 10 tasks for each call."
  it('starts 1 to 10 tasks a call', async () => {
    expect((await send({ count: 10 })).tasks).toHaveLength(10);
    expect(await refused({ count: 11 })).toMatchObject({ name: 'InvalidParameterException' });
    expect(await refused({ count: 0 })).toMatchObject({ name: 'InvalidParameterException' });
    expect(arranged.emulator.tasks).toHaveLength(10);
  });

  // API_RunTask, startedBy: "Up to 128 letters, numbers, hyphens, forward slash, and underscores".
  it('takes a startedBy of up to 128 of its characters', async () => {
    const { tasks } = await send({ startedBy: 'berth/ws-0123456789ab_A' });
    expect(tasks?.[0]?.startedBy).toBe('berth/ws-0123456789ab_A');
    for (const startedBy of ['x'.repeat(129), 'berth:ws', 'a b']) {
      expect(await refused({ startedBy })).toMatchObject({ name: 'InvalidParameterException' });
    }
  });

  describe('with a clientToken (ECS_Idempotency)', () => {
    it('returns the tasks that the same request has started, and starts none', async () => {
      const request = { clientToken: 'ws-1', startedBy: 'berth/ws-1', count: 2 };
      const first = await send(request);
      const again = await send(request);
      expect(again.tasks?.map(({ taskArn }) => taskArn)).toEqual(first.tasks?.map(({ taskArn }) => taskArn));
      expect(arranged.emulator.tasks).toHaveLength(2);
    });

    it('answers other parameters with ConflictException and the existing ARNs', async () => {
      const { tasks } = await send({ clientToken: 'ws-1', startedBy: 'berth/ws-1' });
      const error = await refused({ clientToken: 'ws-1', startedBy: 'berth/ws-2' });
      expect(error).toMatchObject({ name: 'ConflictException', $metadata: { httpStatusCode: 400 } });
      expect((error as ConflictException).resourceIds).toEqual([tasks?.[0]?.taskArn]); // the error that it is
    });

    it('does not mind the order in which parameters come', async () => {
      const first = await send({
        clientToken: 'ws-1',
        ...vpc({ securityGroups: [], assignPublicIp: 'DISABLED' }),
      });
      const again = await send({
        clientToken: 'ws-1',
        ...vpc({ assignPublicIp: 'DISABLED', securityGroups: [] }),
      });
      expect(again.tasks?.[0]?.taskArn).toBe(first.tasks?.[0]?.taskArn);
    });

    it('takes up to 64 characters from 33 to 126', async () => {
      await send({ clientToken: '~'.repeat(64) });
      for (const clientToken of ['x'.repeat(65), 'a b', 'ä']) {
        expect(await refused({ clientToken })).toMatchObject({ name: 'InvalidParameterException' });
      }
    });

    it('remembers it for 24 hours while a task of it lives', async () => {
      const first = await send({ clientToken: 'ws-1' });
      arranged.emulator.clock.advance(23 * HOUR_MS);
      expect((await send({ clientToken: 'ws-1' })).tasks?.[0]?.taskArn).toBe(first.tasks?.[0]?.taskArn);
      arranged.emulator.clock.advance(2 * HOUR_MS);
      expect((await send({ clientToken: 'ws-1' })).tasks?.[0]?.taskArn).not.toBe(first.tasks?.[0]?.taskArn);
    });

    it('returns a stopped task for an hour more, then starts a new one', async () => {
      const arn = await arranged.run({ clientToken: 'ws-1' });
      arranged.emulator.stopFromOutside(arn);
      await arranged.reached(arn, 'STOPPED');
      expect(await arranged.run({ clientToken: 'ws-1' })).toBe(arn);
      arranged.emulator.clock.advance(HOUR_MS + 1000);
      expect(await arranged.run({ clientToken: 'ws-1' })).not.toBe(arn);
    });

    it('is repeated freely after a call that started nothing', async () => {
      arranged.emulator.faults.add({ operation: 'RunTask', kind: 'failures', reason: 'RESOURCE:ENI' });
      const { tasks, failures } = await send({ clientToken: 'ws-1' });
      expect({ tasks, failures }).toMatchObject({ tasks: [], failures: [{ reason: 'RESOURCE:ENI' }] });
      expect((await send({ clientToken: 'ws-1' })).tasks).toHaveLength(1);
    });
  });

  // API_RunTask, networkConfiguration; API_AwsVpcConfiguration: up to 16 subnets, up to 5 security groups.
  it('wants a network configuration with 1 to 16 subnets and at most 5 groups that exist', async () => {
    const { networkConfiguration: _, ...without } = arranged.runInput();
    expect(await refusal(arranged.ecs.send(new RunTaskCommand(without)))).toMatchObject({
      name: 'InvalidParameterException',
      message: "Network Configuration must be provided when networkMode 'awsvpc' is specified.",
    });
    const subnet = must(arranged.emulator.subnets[0]);
    expect((await refused(vpc({ subnets: [] }))).message).toContain('subnets can not be empty.');
    expect((await refused(vpc({ subnets: Array(17).fill(subnet) }))).message).toContain('at most 16');
    expect((await refused(vpc({ subnets: ['subnet-00000000'] }))).message).toContain(
      'InvalidSubnetID.NotFound',
    );
    expect((await refused(vpc({ securityGroups: Array(6).fill('sg-1') }))).message).toContain('at most 5');
    expect((await refused(vpc({ securityGroups: ['sg-00000000'] }))).message).toContain(
      'InvalidGroup.NotFound',
    );
  });

  describe('chooses where a task runs', () => {
    // API_RunTask, launchType: "If a launchType is specified, the capacityProviderStrategy parameter must be omitted."
    it('by a launch type or a strategy, never both', async () => {
      const capacityProviderStrategy = [{ capacityProvider: 'FARGATE_SPOT' }];
      expect(await refused({ capacityProviderStrategy })).toMatchObject({
        name: 'InvalidParameterException',
      });
    });

    it('by a strategy of providers that the cluster has', async () => {
      const spot = arranged.runInput({
        capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
      });
      delete spot.launchType;
      const { tasks } = await arranged.ecs.send(new RunTaskCommand(spot));
      expect(tasks?.[0]).toMatchObject({ launchType: 'FARGATE', capacityProviderName: 'FARGATE_SPOT' });
      const other = { ...spot, capacityProviderStrategy: [{ capacityProvider: 'instances' }] };
      expect((await refusal(arranged.ecs.send(new RunTaskCommand(other)))).message).toContain(
        'not associated with the cluster',
      );
    });

    it('on EC2 where neither is said, and there are no instances', async () => {
      const { launchType: _, ...neither } = arranged.runInput();
      expect((await refusal(arranged.ecs.send(new RunTaskCommand(neither)))).message).toBe(
        'No Container Instances were found in your cluster.',
      );
    });

    it('only on what the task definition is compatible with', async () => {
      await arranged.register({ family: 'instances', requiresCompatibilities: ['EC2'] });
      expect((await refused({ taskDefinition: 'instances' })).message).toBe(
        'Task definition does not support launch_type FARGATE.',
      );
    });
  });

  // API_RunTask, overrides: "A total of 8192 characters are allowed for overrides. This limit includes the JSON".
  it('takes overrides of up to 8192 characters', async () => {
    const overrides = (length: number) => ({
      containerOverrides: [{ name: 'app', environment: [{ name: 'A', value: 'x'.repeat(length) }] }],
    });
    const around = JSON.stringify(overrides(0)).length;
    await send({ overrides: overrides(8192 - around) });
    expect((await refused({ overrides: overrides(8193 - around) })).message).toBe(
      'Container Overrides length must be at most 8192',
    );
  });

  it('takes overrides of containers that the task definition has', async () => {
    expect((await refused({ overrides: { containerOverrides: [{ name: 'other' }] } })).message).toBe(
      'Override for container named other is not a container in the TaskDefinition.',
    );
  });

  it('refuses by name what the emulator would have to pass over', async () => {
    expect((await refused({ enableExecuteCommand: true })).message).toContain('enableExecuteCommand');
    expect((await refused({ overrides: { taskRoleArn: 'arn:aws:iam::1:role/x' } })).message).toContain(
      'does not emulate overrides.taskRoleArn',
    );
  });

  it('wants a task definition that is there and active: ClientException', async () => {
    expect(await refused({ taskDefinition: 'none' })).toMatchObject({
      name: 'ClientException',
      message: 'Unable to describe task definition.',
    });
  });
});
