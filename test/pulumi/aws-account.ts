import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerBacking } from '../support/ecs-emulator/docker/docker-backing.ts';
import { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import {
  type ContainerPlan,
  StartFailure,
  type TaskPlan,
} from '../support/ecs-emulator/tasks/task-backing.ts';
import { GuardedEndpoint } from '../support/iam/guarded-endpoint.ts';
import { GIVEN_POSTGRES } from '../support/pulumi/providers/aws/effects/given-postgres.ts';
import { GIVEN_REDIS } from '../support/pulumi/providers/aws/effects/given-redis.ts';
import type { Recorder } from '../support/pulumi/providers/aws/recorder.ts';
import { freePort } from '../support/services/free-port.ts';
import { docker, objectStore, postgresServer, redisServer } from '../support/services/provided.ts';
import { type ElastiCache, startElastiCache } from './elasticache.ts';
import { type Rds, startRds } from './rds.ts';
import { may, policiesOf, secretValue } from './recorded-roles.ts';

const REGION = 'us-east-1';
/** Who deploys may everything; the roles that the program makes may what it says. */
const DEPLOYER = 'deployer';
/** Health checks and stop timeouts take a fifth of their time. */
const SPEED = 5;
const RUNTIME = 'runtime';
const TRUSTED = '/etc/stores.pem';

interface Faults {
  runtime: string | undefined;
}

/** What works behind the provider `aws`: ECS with tasks and services that run, Redis, Postgres, S3 and STS. */
export class AwsAccount implements AsyncDisposable {
  readonly emulator: EcsEmulator;
  /** S3 and STS, as the runtime reaches them: what its role may not, it is refused. */
  readonly store: GuardedEndpoint;
  readonly rds: Rds;
  readonly #redis: ElastiCache;
  readonly #trusted: string;
  readonly #recorder: () => Recorder;
  /** By task: where its runtime answers. */
  readonly #runtimes: ReadonlyMap<string, string>;
  readonly #faults: Faults;

  private constructor(
    emulator: EcsEmulator,
    store: GuardedEndpoint,
    { redis, rds, trusted }: Stores,
    recorder: () => Recorder,
    runtimes: ReadonlyMap<string, string>,
    faults: Faults,
  ) {
    this.emulator = emulator;
    this.store = store;
    this.rds = rds;
    this.#redis = redis;
    this.#trusted = trusted;
    this.#recorder = recorder;
    this.#runtimes = runtimes;
    this.#faults = faults;
  }

  /** The recorder is looked at once something runs. */
  static async start(recorder: () => Recorder): Promise<AwsAccount> {
    const stores = await startStores();
    const policies = (key: string) => (key === DEPLOYER ? undefined : policiesOf(recorder(), key));
    const store = await GuardedEndpoint.before(objectStore().endpoint, policies);
    const runtimes = new Map<string, string>();
    const faults: Faults = { runtime: undefined };
    const emulator: EcsEmulator = await EcsEmulator.start({
      // The runtime has an address of its own on AWS, and reaches tasks and stores; here it shares the machine's.
      backing: dockerBacking({
        host: docker().host,
        onHost: { isMeant: isRuntime, binds: [`${stores.trusted}:${TRUSTED}:ro`] },
      }),
      region: REGION,
      speed: SPEED,
      logGroups: [],
      subnets: () => recorder().ids('aws:ec2/subnet:Subnet'),
      securityGroups: () => recorder().ids('aws:ec2/securityGroup:SecurityGroup'),
      fileSystems: () => recorder().ids('aws:efs/fileSystem:FileSystem'),
      access: {
        callerOf: (key) => {
          const may = policies(key);
          return may && { arn: assumed(key), policies: may };
        },
      },
      addedEnvironment: async (task, container) => {
        const added = startedByRole(recorder(), task, container);
        if (!isRuntime(task)) return added;
        if (faults.runtime !== undefined) throw new StartFailure(faults.runtime);
        const port = String(await freePort());
        runtimes.set(task.taskArn, `http://127.0.0.1:${port}`);
        return { ...added, ...standIns(emulator.url, store.url), PORT: port };
      },
    });
    return new AwsAccount(emulator, store, stores, recorder, runtimes, faults);
  }

  /** From now on no task of the runtime starts, for this reason; undefined: they do again. */
  refuseRuntime(reason: string | undefined): void {
    this.#faults.runtime = reason;
  }

  /** What makes the provider use it. */
  get env(): Record<string, string> {
    return {
      ...this.emulator.env,
      AWS_ACCESS_KEY_ID: DEPLOYER,
      AWS_ENDPOINT_URL_S3: objectStore().endpoint,
      [GIVEN_REDIS]: this.#redis.url,
      [GIVEN_POSTGRES]: this.rds.url,
      NODE_EXTRA_CA_CERTS: this.#trusted,
    };
  }

  /** Where the runtime's instances answer: what the load balancer would pass on to. */
  get runtimes(): string[] {
    const live = this.emulator.tasks.filter(({ status, stop }) => status === 'RUNNING' && stop === undefined);
    return live.flatMap(({ arn }) => this.#runtimes.get(arn) ?? []);
  }

  /** All that Secrets Manager has. */
  get secrets(): string[] {
    return this.#recorder()
      .of('aws:secretsmanager/secretVersion:SecretVersion')
      .map(({ inputs }) => String(inputs.secretString));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.close();
    await this.store[Symbol.asyncDispose]();
    await Promise.all([this.#redis.stop(), this.rds.stop()]);
    rmSync(this.#trusted);
  }
}

interface Stores {
  redis: ElastiCache;
  rds: Rds;
  /** The file of the certificates that their clients have to trust. */
  trusted: string;
}

async function startStores(): Promise<Stores> {
  const [redis, rds] = await Promise.all([
    startElastiCache(redisServer().path),
    startRds(postgresServer().path),
  ]);
  const trusted = join(process.env.TEST_RUN_FOLDER ?? tmpdir(), `trusted-${process.pid}.pem`);
  writeFileSync(trusted, redis.certificate + rds.certificate);
  return { redis, rds, trusted };
}

/**
 * All that the runtime is given here beyond what the program gave its service: where AWS is, and that the certificates
 * of these stores are good ones. Its port is another, too, since all instances share the machine's.
 */
export function standIns(ecs: string, store: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_ECS: ecs,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: ecs,
    AWS_ENDPOINT_URL_EFS: ecs,
    AWS_ENDPOINT_URL_S3: store,
    AWS_ENDPOINT_URL_STS: store,
    NODE_EXTRA_CA_CERTS: TRUSTED,
  };
}

function isRuntime({ containers }: TaskPlan): boolean {
  return containers.some(({ name }) => name === RUNTIME);
}

const assumed = (role: string) => `arn:aws:sts::123456789012:assumed-role/${role}/task`;

/** What ECS does with the execution role before a container starts, and the credentials of the task's own role. */
function startedByRole(
  recorder: Recorder,
  { executionRoleArn = '', taskRoleArn }: TaskPlan,
  { definition }: ContainerPlan,
): Record<string, string> {
  const allowed = (action: string, resource: string) => {
    if (may(recorder, executionRoleArn, { action, resource })) return;
    throw new StartFailure(
      `ResourceInitializationError: ${executionRoleArn} is not authorized to perform: ${action} on resource: ${resource}`,
    );
  };
  const [, repository = ''] = /^[^/]+\/([^@]+)@/.exec(definition.image) ?? [];
  allowed('ecr:GetAuthorizationToken', '*');
  allowed('ecr:BatchGetImage', `arn:aws:ecr:${REGION}:123456789012:repository/${repository}`);
  const group = definition.logConfiguration?.options['awslogs-group'];
  allowed('logs:CreateLogStream', `arn:aws:logs:${REGION}:123456789012:log-group:${group}:log-stream:any`);
  const secrets = (definition.secrets ?? []).map(({ name, valueFrom }) => {
    const { secretArn, value } = secretValue(recorder, valueFrom);
    allowed('secretsmanager:GetSecretValue', secretArn);
    return [name, value];
  });
  return { ...Object.fromEntries(secrets), ...credentials(taskRoleArn) };
}

/** By which the emulator knows who calls. On AWS a container asks for them at an address. */
function credentials(roleArn: string | undefined): Record<string, string> {
  if (roleArn === undefined) return {};
  const [, name = ''] = roleArn.split('/');
  return { AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: 'not-checked' };
}
