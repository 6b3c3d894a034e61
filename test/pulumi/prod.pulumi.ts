import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import type { ContainerDefinition } from '../../infra/ecs/container-definition.ts';
import { must } from '../support/must.ts';
import { CERTIFICATE } from '../support/pulumi/certificate.ts';
import { describeWithPulumi } from '../support/pulumi/describe-with-pulumi.ts';
import type { Recorded } from '../support/pulumi/providers/aws/recorder.ts';
import { TestStack } from '../support/pulumi/run.ts';
import { docker } from '../support/services/provided.ts';
import { AwsAccount, standIns } from './aws-account.ts';
import { activeRevisions, environmentsOf, keysIn, removeImages } from './behind-aws.ts';
import { PlatformClient } from './platform-client.ts';
import { secretValue } from './recorded-roles.ts';

const TASK = 'aws:ecs/taskDefinition:TaskDefinition';
const SERVICE = 'aws:ecs/service:Service';
/** What stays: the data, and what it can't be without. */
const KEPT = [
  ...[
    'aws:s3/bucket:Bucket',
    'aws:rds/instance:Instance',
    'aws:elasticache/replicationGroup:ReplicationGroup',
  ],
  ...['aws:efs/fileSystem:FileSystem', 'aws:efs/backupPolicy:BackupPolicy'],
  'aws:efs/fileSystemPolicy:FileSystemPolicy',
  ...['aws:rds/subnetGroup:SubnetGroup', 'aws:rds/parameterGroup:ParameterGroup'],
  ...['aws:elasticache/subnetGroup:SubnetGroup', 'aws:elasticache/parameterGroup:ParameterGroup'],
  ...['aws:secretsmanager/secret:Secret', 'aws:secretsmanager/secretVersion:SecretVersion'],
  ...['aws:ec2/vpc:Vpc', 'aws:ec2/subnet:Subnet', 'aws:ec2/securityGroup:SecurityGroup'],
  'aws:cloudwatch/logGroup:LogGroup', // the database's
];

// The tests are one story, in the order they stand in. AWS is the provider's of test/support/pulumi/providers/aws: what
// the program makes is written down, and its ECS, S3, STS, Redis and Postgres work. There is no load balancer: its targets
// are asked directly.

describeWithPulumi(
  'the stack prod',
  (engine) => {
    const project = `prod-${randomBytes(4).toString('hex')}`;
    const name = `${project}-prod`;
    let account: AwsAccount;
    let stack: TestStack;
    beforeAll(async () => {
      account = await AwsAccount.start(() => stack.aws);
      stack = await TestStack.create({
        engine,
        project,
        stack: 'prod',
        env: { ...account.env, DOCKER_HOST: docker().host },
      });
      await stack.config('berth:warmPoolMin', '1');
      await stack.config('berth:warmPoolMax', '1');
    });
    afterAll(async () => {
      await account[Symbol.asyncDispose]();
      stack[Symbol.dispose]();
      await removeImages(name);
    });

    const told = () => onTestFailed(() => console.error(stack.lastWords));
    const client = async (at = 0) =>
      new PlatformClient({ ...(await stack.outputs()), url: must(account.runtimes[at]) });
    /** Of a task, as the program has it. */
    const definition = (family: string) =>
      must(stack.aws.of(TASK).find(({ inputs }) => inputs.family === `${name}-${family}`));
    const containers = ({ inputs }: Recorded): ContainerDefinition[] =>
      JSON.parse(String(inputs.containerDefinitions));
    /** Of task definitions, those that tasks can be made of: `kind:revision`. */
    const revisions = async () =>
      (await activeRevisions(account.emulator)).map((revision) => revision.replace(`${name}-`, '')).sort();
    const conversations = () =>
      account.emulator.tasks.filter(({ identity }) => identity.startedBy?.startsWith('berth/'));

    it('says that it lacks a certificate, and how to set one', async () => {
      await expect(stack.preview()).rejects.toThrow(
        /berth:certificateArn wants [\s\S]*pulumi config set berth:/,
      );
      await stack.config('berth:certificateArn', CERTIFICATE);
      await stack.config('berth:workspaceDomain', 'workspaces.example.net');
      await stack.config('berth:workspaceCertificateArn', CERTIFICATE.replace('0abc', '0def'));
    });

    it('is previewed without a Docker engine', async () => {
      told();
      const began = performance.now();
      const steps = await stack.preview({ DOCKER_HOST: 'unix:///nowhere/docker.sock' });
      console.log(`pulumi preview of prod took ${((performance.now() - began) / 1000).toFixed(1)} s`);
      expect(new Set(steps.map(({ op }) => op))).toEqual(new Set(['create']));
      expect(stack.aws.all()).toEqual([]);
    });

    it('fails half way with what went wrong, and a second up completes what the first began', async () => {
      told();
      stack.failOnce(`aws:ecs/service:Service::${name}-runtime`);
      await expect(stack.up()).rejects.toThrow('told to fail');
      const begun = stack.aws.all();
      expect(begun.map(({ token }) => token)).not.toContain(SERVICE);
      await stack.up();
      const whole = stack.aws.all().map(({ id }) => id);
      expect(whole).toEqual(expect.arrayContaining(begun.map(({ id }) => id)));
      expect(account.runtimes).toHaveLength(2);
    });

    it('gives its runtime the environment that the program says, and nothing else but where AWS is', async () => {
      const [runtime] = containers(definition('runtime'));
      const plain = must(runtime).environment.map(({ name, value }) => [name, value]);
      const secret = (must(runtime).secrets ?? []).map(({ name, valueFrom }) => [
        name,
        secretValue(stack.aws, valueFrom).value,
      ]);
      const role = String(definition('runtime').inputs.taskRoleArn).split('/')[1];
      const given = {
        ...Object.fromEntries([...plain, ...secret]),
        ...standIns(account.emulator.url, account.store.url),
        PORT: expect.any(String),
        AWS_ACCESS_KEY_ID: role,
        AWS_SECRET_ACCESS_KEY: 'not-checked',
      };
      const environments = await environmentsOf(account.emulator, 'runtime');
      expect(given.WORKSPACE_DOMAIN).toBe('workspaces.example.net');
      expect(environments).toHaveLength(2);
      for (const environment of environments) expect(environment).toEqual(given);
    });

    it('executes a conversation on the task that the program defined, for the key that it prints', async () => {
      const platform = await client();
      expect(await platform.health()).toBe(200);
      const { printed } = await platform.execute('first', 'echo kept > note; id -u');
      expect(printed).toBe('1000\n');
      const agent = definition('workspace-agent');
      const tasks = conversations();
      expect(tasks.length).toBeGreaterThan(0);
      for (const { identity } of tasks) expect(identity.definition.taskDefinitionArn).toBe(agent.id);
      const [first] = tasks;
      const ran = first?.containers.map(({ image }) => image);
      expect(ran).toEqual(containers(agent).map(({ image }) => image));
      const stranger = new PlatformClient({ url: must(account.runtimes[0]), apiKey: 'berth_another' });
      await expect(stranger.execute('first', 'true')).rejects.toThrow('401');
    });

    it('has its tables in the database that the program made, over TLS alone', async () => {
      await expect
        .poll(() => account.rds.tablesOf('berth', 'berth'), { timeout: 180_000 })
        .toBeGreaterThan(0);
    });

    it('is the same platform at each of its instances', async () => {
      const other = await client(1);
      expect(await other.execute('first', 'cat note')).toEqual({ printed: 'kept\n', source: 'existing' });
    });

    it('shows no change where there is none', async () => {
      told();
      expect(await stack.preview()).toEqual([]);
    });

    it('shows a changed value and nothing else, and changes it under a conversation that goes on', async () => {
      told();
      const before = containers(definition('runtime'));
      const old = account.runtimes;
      await stack.config('berth:warmPoolMax', '2');
      const steps = await stack.preview();
      const parts = ['runtime', 'sweeper', 'revisions'].map((part) => `${name}-${part}`);
      expect(new Set(steps.map(({ name }) => name))).toEqual(new Set(parts));
      const diff = await stack.previewDiff();
      // Of the task definition one value; the others are told its new revision.
      const changed = [...diff.matchAll(/^ {6}~ (\w+) *: /gm)].map(([, key]) => key);
      expect(changed.toSorted()).toEqual(['containerDefinitions', 'input', 'input', 'taskDefinition']);
      expect(diff.match(/^ +~ value: .*$/gm)?.map((line) => line.trim())).toEqual(['~ value: "1" => "2"']);
      await stack.up();
      expect(containers(definition('runtime'))).toEqual(
        before.map((container) => ({
          ...container,
          environment: container.environment.map((each) =>
            each.name === 'ECS_WARM_POOL_MAX_SIZE' ? { ...each, value: '2' } : each,
          ),
        })),
      );
      expect(account.runtimes.filter((url) => old.includes(url))).toEqual([]);
      expect(await (await client()).execute('first', 'cat note')).toEqual({
        printed: 'kept\n',
        source: 'existing',
      });
      expect(await revisions()).toEqual(['runtime:1', 'runtime:2', 'workspace-agent:1', 'workspace:1']);
    });

    it('fails where ECS has rolled a deployment back, and the next up deploys it', async () => {
      told();
      const before = account.runtimes;
      account.refuseRuntime('CannotPullContainerError: told to fail');
      await stack.config('berth:warmPoolMax', '3');
      await expect(stack.up()).rejects.toThrow(
        new RegExp(`was to run ${name}-runtime:3,.* runs.*${name}-runtime:2.*describe-services`),
      );
      expect(account.runtimes).toEqual(before);
      // What ECS has rolled back to, and what would be next in its place.
      expect(await revisions()).toEqual([
        'runtime:1',
        'runtime:2',
        'runtime:3',
        'workspace-agent:1',
        'workspace:1',
      ]);
      account.refuseRuntime(undefined);
      await stack.config('berth:warmPoolMax', '4');
      await stack.up();
      expect(account.runtimes).toHaveLength(2);
      expect(account.runtimes.filter((url) => before.includes(url))).toEqual([]);
      expect(await revisions()).toEqual(['runtime:2', 'runtime:4', 'workspace-agent:1', 'workspace:1']);
    });

    it('keeps no secret in the clear in its state', async () => {
      const state = await stack.state();
      const { apiKey } = await stack.outputs();
      const inputs = stack.aws.all().flatMap(({ inputs: each }) => [each.authToken, each.password]);
      const secrets = [...account.secrets, ...inputs, apiKey].filter((value) => value !== undefined);
      expect(secrets).toHaveLength(7);
      for (const value of secrets)
        expect(state.includes(JSON.stringify(value).slice(1, -1)), 'a secret').toBe(false);
    });

    it('is destroyed with three conversations that live, and leaves their files and what data is in', async () => {
      told();
      const before = stack.aws.all();
      const names = ['first', 'second', 'third'];
      const platform = await client();
      await Promise.all(names.map((name) => platform.execute(name, `echo ${name} > last`)));
      await stack.destroy();
      expect(conversations().filter(({ status }) => status !== 'STOPPED')).toEqual([]);
      expect(await revisions()).toEqual([]);
      const left = stack.aws.all();
      const saved = await keysIn(must(stack.aws.ids('aws:s3/bucket:Bucket')[0]));
      for (const name of names) expect(saved).toContain(`berth/workspaces/default/${name}/manifest.json`);
      expect(before).toEqual(expect.arrayContaining(left));
      const settings = /^aws:s3\/bucket[A-Z]/;
      const tokens = new Set(left.map(({ token }) => token).filter((token) => !settings.test(token)));
      expect([...tokens].sort()).toEqual([...KEPT].sort());
    });

    it('leaves nothing at all where data is to be destroyed, too', async () => {
      told();
      for (const { token, id } of stack.aws.all()) stack.aws.remove(token, id);
      await stack.config('berth:destroyData', 'true');
      await stack.up();
      await (await client()).execute('last', 'echo gone > note');
      await stack.destroy();
      expect(stack.aws.all()).toEqual([]);
      expect(await revisions()).toEqual([]);
    });

    it('has asked S3 and STS for nothing that its role may not', () => {
      expect(account.store.refused).toEqual([]);
      expect([...account.store.allowed].sort()).toEqual(
        expect.arrayContaining(['s3:GetObject', 's3:ListBucket', 's3:PutObject', 'sts:AssumeRole']),
      );
    });
  },
  ['redis-server', 'postgres-server', 's3'],
);
