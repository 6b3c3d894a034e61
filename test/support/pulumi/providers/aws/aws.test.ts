import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EcsEmulator } from '../../../ecs-emulator/ecs-emulator.ts';
import { stubBacking } from '../../../ecs-emulator/stub/stub-backing.ts';
import { workspaceTaskDefinition } from '../../../ecs-emulator/workspace-task-definition.ts';
import { describeWith, objectStore } from '../../../services/provided.ts';
import { makeProvider } from '../provider.ts';
import type { WireObject } from '../wire-values.ts';
import { FUNCTIONS } from './functions.ts';
import { kindsOf } from './kinds.ts';
import { Recorder } from './recorder.ts';

const VPC = 'aws:ec2/vpc:Vpc';
const SUBNET = 'aws:ec2/subnet:Subnet';
const GROUP = 'aws:ec2/securityGroup:SecurityGroup';
const RULE = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';
const DATABASE = 'aws:rds/instance:Instance';
const urn = (token: string) => `urn:pulumi:prod::berth::berth:index:Platform$${token}::agents`;

let folder: string;
let recorder: Recorder;
let provider: ReturnType<typeof makeProvider>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-aws-'));
  recorder = new Recorder(folder);
  provider = makeProvider('aws', '7.48.0', kindsOf(recorder), FUNCTIONS);
});
afterEach(() => rmSync(folder, { recursive: true }));

const make = async (token: string, given: WireObject) => {
  const { inputs, failures } = await provider.check(urn(token), undefined, given);
  expect(failures).toEqual([]);
  return provider.create(urn(token), inputs);
};
const remove = (token: string, { id, outs }: { id: string; outs?: WireObject }) =>
  provider.delete(id, urn(token), outs ?? {});

describe('the provider aws', () => {
  it('refuses a type, an input and a function that our stacks do not use', async () => {
    await expect(make('aws:ec2/instance:Instance', {})).rejects.toThrow('has no aws:ec2/instance:Instance');
    const { failures } = await provider.check(urn(VPC), undefined, { cidrBlock: '10.0.0.0/16', ipv6: true });
    expect(failures).toMatchObject([{ property: 'ipv6' }]);
    await expect(provider.invoke('aws:ec2/getAmi:getAmi', {})).rejects.toThrow('has no function');
  });

  it('makes up what AWS would, in its shapes', async () => {
    const vpc = await make(VPC, { cidrBlock: '10.0.0.0/16' });
    expect(vpc.id).toMatch(/^vpc-[0-9a-f]{17}$/);
    expect(vpc.outs.arn).toBe(`arn:aws:ec2:us-east-1:123456789012:vpc/${vpc.id}`);
    const role = await make('aws:iam/role:Role', { assumeRolePolicy: '{}' });
    expect(role.outs.arn).toBe(`arn:aws:iam::123456789012:role/${role.id}`);
    expect(role.id).toMatch(/^agents-[0-9a-f]{7}$/);
  });

  it('tells the zones that are asked for, local ones among them', async () => {
    const zones = async (asked: WireObject) =>
      (await provider.invoke('aws:index/getAvailabilityZones:getAvailabilityZones', asked)).outputs.names;
    const filters = [{ name: 'opt-in-status', values: ['opt-in-not-required'] }];
    expect(await zones({})).toEqual(['us-east-1a', 'us-east-1b', 'us-east-1c', 'us-east-1-bos-1a']);
    expect(await zones({ filters, excludeZoneIds: ['zone-b'] })).toEqual(['us-east-1a', 'us-east-1c']);
    await expect(zones({ filters: [{ name: 'optin', values: [] }] })).rejects.toThrow('filter');
  });

  it('takes no rule of a security group twice, whatever it is said to be for', async () => {
    const { id: group } = await make(GROUP, { vpcId: 'vpc-1' });
    const rule = { securityGroupId: group, ipProtocol: 'tcp', fromPort: 443, toPort: 443 };
    await make(RULE, { ...rule, cidrIpv4: '10.0.0.0/8', description: 'one' });
    const twice = make(RULE, { ...rule, cidrIpv4: '10.0.0.0/8', description: 'another' });
    await expect(twice).rejects.toThrow('InvalidPermission.Duplicate');
    const { id, outs } = await make(RULE, { ...rule, cidrIpv4: '10.0.0.0/16' });
    const same = { ...outs, cidrIpv4: '10.0.0.0/8' };
    await expect(provider.update(id, urn(RULE), outs, same)).rejects.toThrow('InvalidPermission.Duplicate');
    await provider.update(id, urn(RULE), outs, { ...outs, description: 'its own' });
  });

  it('writes everything down for whichever process of its looks', async () => {
    const { id } = await make(VPC, { cidrBlock: '10.0.0.0/16' });
    const another = new Recorder(folder);
    expect(another.ids(VPC)).toEqual([id]);
    await provider.update(id, urn(VPC), {}, { cidrBlock: '10.0.0.0/16', enableDnsSupport: true });
    expect(another.of(VPC)).toMatchObject([{ id, inputs: { enableDnsSupport: true } }]);
    await remove(VPC, { id });
    expect(another.all()).toEqual([]);
    await expect(remove(VPC, { id })).rejects.toThrow('NotFound');
  });

  it('changes in place what AWS can change, and makes another for the rest', async () => {
    const diff = (news: WireObject) =>
      provider.diff('id', urn(SUBNET), { vpcId: 'a', tags: { a: '1' } }, news);
    expect(await diff({ vpcId: 'a', tags: { a: '2' } })).toEqual({ changes: true, replaces: [] });
    expect(await diff({ vpcId: 'b', tags: { a: '1' } })).toEqual({ changes: true, replaces: ['vpcId'] });
  });

  it('keeps a network while there is something in it', async () => {
    const vpc = await make(VPC, { cidrBlock: '10.0.0.0/16' });
    const subnet = await make(SUBNET, { vpcId: vpc.id, cidrBlock: '10.0.0.0/24' });
    await expect(remove(VPC, vpc)).rejects.toThrow(/DependencyViolation: .* 'subnet-/);
    await remove(SUBNET, subnet);
    await remove(VPC, vpc);
  });

  it("keeps a security group that another's rule names, and not one that has rules itself", async () => {
    const [one, other] = [await make(GROUP, { vpcId: 'vpc-1' }), await make(GROUP, { vpcId: 'vpc-1' })];
    await make(RULE, { securityGroupId: one.id, referencedSecurityGroupId: other.id });
    await expect(remove(GROUP, other)).rejects.toThrow('DependencyViolation');
    await remove(GROUP, one);
  });

  it('keeps a database that is protected', async () => {
    const kept = await make(DATABASE, { engine: 'postgres', deletionProtection: true });
    await expect(remove(DATABASE, kept)).rejects.toThrow('protected');
    await remove(DATABASE, await make(DATABASE, { engine: 'postgres', skipFinalSnapshot: true }));
  });

  it.each([
    ['aws:ecr/repository:Repository', 'RepositoryAlreadyExistsException'],
    ['aws:lambda/function:Function', 'ResourceConflictException'],
    ['aws:iam/role:Role', 'EntityAlreadyExists'],
  ])('refuses a name of %s that another has', async (token, code) => {
    await make(token, { name: 'agents' });
    await expect(make(token, { name: 'agents' })).rejects.toThrow(code);
    await make(token, { name: 'others' });
  });

  it('refuses a name that is too long', async () => {
    const name = 'a'.repeat(33);
    await expect(make('aws:lb/targetGroup:TargetGroup', { name })).rejects.toThrow('longer than 32');
  });
});

describe('ECS behind the provider aws', () => {
  const CLUSTER = 'aws:ecs/cluster:Cluster';
  const TASK = 'aws:ecs/taskDefinition:TaskDefinition';
  const SERVICE = 'aws:ecs/service:Service';
  const LOGS = 'aws:cloudwatch/logGroup:LogGroup';
  let emulator: EcsEmulator;
  /** Tasks of so many units end at once. */
  let failing: number | undefined;
  beforeAll(async () => {
    const backing = stubBacking({
      startAgent({ taskArn, exit }) {
        const task = emulator.tasks.find(({ arn }) => arn === taskArn);
        if (task?.identity.definition.cpuUnits === failing) setImmediate(exit, 1);
        return undefined;
      },
    });
    emulator = await EcsEmulator.start({ backing, logGroups: [], rates: {} });
    for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await emulator.close();
  });

  it('runs a service on the task definition that it was given, and keeps the cluster as long', async () => {
    const { containerDefinitions = [], ...definition } = workspaceTaskDefinition({
      agentImage: 'agent',
      sidecarImage: 'sidecar',
    });
    const log = await make(LOGS, { name: '/ecs/workspace-agent' });
    const again = make(LOGS, { name: '/ecs/workspace-agent' });
    await expect(again).rejects.toThrow('ResourceAlreadyExistsException');
    const cluster = await make(CLUSTER, {});
    const capacity = { clusterName: cluster.outs.name, capacityProviders: ['FARGATE'] };
    await make('aws:ecs/clusterCapacityProviders:ClusterCapacityProviders', capacity);
    const withoutChecks = containerDefinitions.map(({ healthCheck: _, ...rest }) => rest);
    const registered = (cpu: string, memory = definition.memory) =>
      make(TASK, {
        ...definition,
        cpu,
        memory,
        containerDefinitions: JSON.stringify(withoutChecks),
        skipDestroy: true,
      });
    const task = await registered('2048');
    expect(task.outs).toMatchObject({ arn: `${task.outs.arnWithoutRevision}:1`, revision: 1 });
    const subnets = [...emulator.subnets];
    const service = await make(SERVICE, {
      cluster: cluster.outs.arn,
      taskDefinition: task.outs.arn,
      desiredCount: 2,
      launchType: 'FARGATE',
      networkConfiguration: { subnets, securityGroups: [...emulator.securityGroups], assignPublicIp: false },
      waitForSteadyState: true,
      deploymentCircuitBreaker: { enable: true, rollback: true },
    });
    const revisions = () =>
      emulator.tasks
        .filter(({ stop }) => stop === undefined)
        .map(({ identity }) => identity.definition.revision);
    expect(revisions()).toEqual([1, 1]);
    const next = await registered('4096').catch((error: unknown) => error);
    expect(String(next)).toContain('No Fargate configuration exists'); // the emulator's own word
    const { outs } = await registered('1024');
    const changed = { ...service.outs, taskDefinition: outs.arn };
    await provider.update(service.id, urn(SERVICE), service.outs, changed);
    expect(revisions()).toEqual([2, 2]);

    failing = 512;
    const { outs: bad } = await registered('512', '1024');
    const asked = { ...changed, taskDefinition: bad.arn };
    const rolledBack = await provider.update(service.id, urn(SERVICE), changed, asked);
    expect(rolledBack.outs?.taskDefinition).toBe(outs.arn); // steady, and no error
    expect(revisions()).toEqual([2, 2]);
    const diff = await provider.diff(service.id, urn(SERVICE), rolledBack.outs, asked);
    expect(diff).toEqual({ changes: true, replaces: [] }); // the next up tries again
    await expect(remove(CLUSTER, cluster)).rejects.toThrow('Services are active');
    await remove(SERVICE, { id: service.id, outs: changed });
    await remove(CLUSTER, cluster);
    await remove(TASK, task);
    await remove(LOGS, log);
  });
});

describe('a function of the provider aws', () => {
  const FUNCTION = 'aws:lambda/function:Function';
  const INVOCATION = 'aws:lambda/invocation:Invocation';

  it('is run at each step of what invokes it, as its role, and fails with its words', async () => {
    const code = mkdtempSync(join(tmpdir(), 'berth-function-'));
    const path = join(code, 'index.mjs');
    writeFileSync(
      path,
      `export async function handler({ tf, refuse }) {
        if (tf.action === 'delete' && refuse) throw new Error('something is left');
        return { tf, role: process.env.AWS_ACCESS_KEY_ID };
      }`,
    );
    const assets = { 'index.mjs': { path } };
    const role = 'arn:aws:iam::123456789012:role/sweeper';
    await make(FUNCTION, { name: 'sweeper', handler: 'index.handler', role, code: { assets } });
    const invoked = { functionName: 'sweeper', lifecycleScope: 'CRUD' };
    const made = await make(INVOCATION, { ...invoked, input: '{"refuse": true}' });
    const created = { action: 'create', prev_input: null };
    expect(JSON.parse(made.outs.result)).toEqual({ tf: created, role: 'sweeper' });
    await expect(remove(INVOCATION, made)).rejects.toThrow('something is left');
    const changed = { ...invoked, input: '{}' };
    const { outs } = await provider.update(made.id, urn(INVOCATION), {}, changed);
    const updated = { action: 'update', prev_input: { refuse: true } };
    expect(JSON.parse(outs.result)).toMatchObject({ tf: updated });
    await remove(INVOCATION, { id: made.id, outs });
    rmSync(code, { recursive: true });
  });
});

describeWith('s3', 'a bucket of the provider aws', () => {
  const BUCKET = 'aws:s3/bucket:Bucket';
  beforeAll(() => {
    for (const [name, value] of Object.entries(objectStore().env)) vi.stubEnv(name, value);
  });
  afterAll(() => vi.unstubAllEnvs());

  it.each([false, true])(
    'stays while it is not empty, unless it may go with what is in it: %s',
    async (force) => {
      const made = await make(BUCKET, { forceDestroy: force });
      const client = new S3Client({ forcePathStyle: true });
      await client.send(new PutObjectCommand({ Bucket: made.id, Key: 'file', Body: 'kept' }));
      const gone = remove(BUCKET, made);
      if (force) await gone;
      else await expect(gone).rejects.toThrow('not empty');
      const listed = client.send(new ListObjectsV2Command({ Bucket: made.id }));
      if (force) await expect(listed).rejects.toThrow('does not exist');
      else expect((await listed).KeyCount).toBe(1);
    },
  );
});
