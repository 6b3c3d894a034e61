import { isSecret, runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { VERSION } from '../../../infra/version.ts';
import { workspaceTaskDefinition } from '../../support/ecs-emulator/workspace-task-definition.ts';
import { outcome } from '../registered.ts';
import { SECRET_KEY } from '../secret-marks.ts';
import { ACCOUNT, CERTIFICATE, REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

const TASK = 'aws:ecs/taskDefinition:TaskDefinition';
const SERVICE = 'aws:ecs/service:Service';
const INGRESS = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';
const EGRESS = 'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const aws = recordAws();
const platform = (args?: Omit<PlatformArgs, 'platform'>) => RecordedPlatform.made(aws, args);

const MUCH = {
  warmPoolMin: 20,
  warmPoolMax: 60,
  maxContainers: 2000,
  runtimeReplicas: 3,
  bedrockRegion: REGION,
  allowedDomains: ['pypi.org'],
};

beforeAll(() => runtime.setConfig('aws:region', REGION));

describe('the platform on ECS', () => {
  it('gives the runtime an environment that it takes, with secrets from their store', async () => {
    const made = await platform(MUCH);
    const config = made.config();
    expect(config).toMatchObject({
      CONTAINER_MANAGER_TYPE: 'ecs',
      BERTH_INSTALLATION: 'agents',
      REDIS_KEY_PREFIX: '{agents}:',
      ECS_CLUSTER: `arn:aws:ecs:${REGION}:${ACCOUNT}:cluster/agents`,
      ECS_TASK_DEFINITION: `arn:aws:ecs:${REGION}:${ACCOUNT}:task-definition/agents-workspace-agent:7`,
      ECS_LOG_GROUP: '/ecs/agents/workspace-agent',
      ECS_WARM_POOL_MIN_SIZE: 20,
      ECS_WARM_POOL_MAX_SIZE: 60,
      MAX_CONTAINERS: 2000,
      EGRESS_MODE: 'sidecar',
      EGRESS_ALLOWED_DOMAINS: ['pypi.org', `internal:bedrock-runtime.${REGION}.amazonaws.com:443`],
      BEDROCK_REGION: REGION,
      BEDROCK_ROLE_ARN: `arn:aws:iam::${ACCOUNT}:role/agents-bedrock`,
      REDIS_URL: 'rediss://:password-of-agents-redis@clustercfg.agents-redis.cache.amazonaws.com:6379',
      DATABASE_URL:
        'postgres://berth:password-of-agents-database@agents-postgres.rds.amazonaws.com:5432/berth?sslmode=verify-full',
      OBJECT_STORE_URL: 's3://agents-objects-1a2b3c4/berth',
      TRUSTED_PROXIES: ['10.20.192.0/22', '10.20.196.0/22'],
    });
    expect(config.ECS_SUBNETS).toHaveLength(3);
    expect(await outcome(made.platform.url)).toBe('https://internal-agents.elb.amazonaws.com');
    expect(await outcome(made.platform.backend)).toBe('ecs');
    expect(await outcome(made.platform.version)).toBe(VERSION);
  });

  it('leaves to the runtime what nobody decided, and has no role for models then', async () => {
    const made = await platform();
    expect(made.config()).toMatchObject({
      ECS_WARM_POOL_MIN_SIZE: 50,
      MAX_CONTAINERS: undefined,
      ECS_CAPACITY_PROVIDER: undefined,
      BEDROCK_ROLE_ARN: undefined,
    });
    expect(made.names('aws:iam/role:Role')).toEqual([
      'agents-runtime',
      'agents-runtime-execution',
      'agents-sweeper',
      'agents-workspace-agent-execution',
      'agents-workspace-execution',
    ]);
  });

  it('keeps what is secret secret: the key, and every password on its way', async () => {
    const made = await platform();
    expect(await isSecret(made.platform.apiKey)).toBe(true);
    expect(await outcome(made.platform.apiKey)).toBe('berth_password-of-agents-api-key');
    expect(JSON.parse(made.environment().BERTH_API_KEYS ?? '')).toMatchObject([{ scope: 'admin' }]);
    const hide = (_: string, value: unknown) =>
      value !== null && typeof value === 'object' && SECRET_KEY in value ? 'hidden' : value;
    const clear = made.resources.filter(({ inputs }) =>
      /password-of-|token-of-|abababab/.test(JSON.stringify(inputs, hide)),
    );
    expect(clear.map(({ type, name }) => `${type} ${name}`)).toEqual([]);
  });

  it('defines the task that is known to run, with images by digest and no role', async () => {
    const made = await platform();
    const { inputs } = made.named(TASK, 'agents-workspace-agent');
    const image = (of: string) =>
      expect.stringMatching(
        new RegExp(`^${ACCOUNT}\\.dkr\\.ecr\\.${REGION}\\.amazonaws\\.com/agents/${of}@sha256:[0-9a-f]{64}$`),
      );
    const { containerDefinitions, executionRoleArn, ...known } = workspaceTaskDefinition({
      agentImage: 'agent',
      sidecarImage: 'sidecar',
      family: 'agents-workspace-agent',
      region: REGION,
      logGroup: '/ecs/agents/workspace-agent',
    });
    expect(executionRoleArn).toBeDefined();
    expect(inputs).toMatchObject({
      ...known,
      executionRoleArn: `arn:aws:iam::${ACCOUNT}:role/agents-workspace-agent-execution`,
      skipDestroy: true,
    });
    expect(inputs.taskRoleArn).toBeUndefined();
    expect(made.containers('agents-workspace-agent')).toEqual([
      { ...containerDefinitions?.[0], image: image('workspace-base') },
      { ...containerDefinitions?.[1], image: image('proxy-sidecar') },
    ]);
  });

  it('builds images under tags of version and content that never move, and scans them', async () => {
    const made = await platform(MUCH);
    const hashes = { 'workspace-base': 'a', 'proxy-sidecar': 'b', runtime: 'c' };
    for (const [of, letter] of Object.entries(hashes)) {
      expect(made.named('aws:ecr/repository:Repository', `agents-${of}`).inputs).toMatchObject({
        name: `agents/${of}`,
        imageTagMutability: 'IMMUTABLE',
        imageScanningConfiguration: { scanOnPush: true },
      });
      const { inputs } = made.named('docker-build:index:Image', `agents-${of}`);
      const tag = `/agents/${of}:${VERSION}-${letter.repeat(12)}`;
      expect(inputs.tags).toEqual([expect.stringMatching(`${tag}$`)]);
      expect(inputs).toMatchObject({ push: true, buildOnPreview: false });
    }
  });

  it('runs the runtime over zones behind an internal balancer, and takes a bad deployment back', async () => {
    const made = await platform(MUCH);
    const service = made.named(SERVICE, 'agents-runtime');
    expect(service.inputs).toMatchObject({
      desiredCount: 3,
      launchType: 'FARGATE',
      deploymentCircuitBreaker: { enable: true, rollback: true },
      networkConfiguration: { assignPublicIp: false },
    });
    expect(service.inputs.networkConfiguration.subnets).toHaveLength(2);
    expect(service.ignored).toEqual(['desiredCount']);
    const { inputs: scaled } = made.named('aws:appautoscaling/target:Target', 'agents-runtime');
    expect(scaled).toMatchObject({ minCapacity: 3, maxCapacity: 12 });
    expect(made.config().ECS_INSTANCES).toBe(12); // so many share the rates of the API
    const { inputs: balancer } = made.named('aws:lb/loadBalancer:LoadBalancer', 'agents');
    expect(balancer).toMatchObject({ internal: true, idleTimeout: 4000 });
    const { inputs: listener } = made.named('aws:lb/listener:Listener', 'agents');
    expect(listener).toMatchObject({ protocol: 'HTTPS', port: 443, certificateArn: CERTIFICATE });
  });

  it('starts the runtime only once all that it needs is there', async () => {
    const made = await platform(MUCH);
    const after = made.named(SERVICE, 'agents-runtime').after.join('\n');
    const needed = ['aws:ec2/vpcEndpoint:VpcEndpoint', INGRESS, EGRESS, 'aws:iam/rolePolicy:RolePolicy'];
    for (const type of needed)
      for (const name of made.names(type).filter((name) => name !== 'agents-sweeper'))
        expect(`${after}\n`).toContain(`${type}::${name}\n`);
  });
});

describe('the platform on ECS in strict mode', () => {
  it('has the proxy apart, with the only way out, and its key from the store', async () => {
    const made = await platform({ egressMode: 'service' });
    expect(made.config()).toMatchObject({
      EGRESS_MODE: 'service',
      EGRESS_PROXY_URL: 'http://proxy.agents.berth.internal:8080',
      EGRESS_PROXY_ADMIN_KEY: 'password-of-agents-proxy-admin',
    });
    const [proxy] = made.containers('agents-proxy');
    expect(proxy?.command).toContain('/opt/berth/proxy-service.mjs');
    expect(proxy?.secrets?.map(({ name }) => name)).toEqual(['PROXY_ADMIN_KEY']);
    expect(made.named(SERVICE, 'agents-proxy').inputs.networkConfiguration.subnets).toHaveLength(2);
    expect(made.names('aws:ec2/route:Route').filter((name) => !name.includes('public'))).toEqual([
      'agents-proxy-0-out',
      'agents-proxy-1-out',
    ]);
    expect(made.names(EGRESS).filter((name) => name.startsWith('agents-tasks'))).toEqual([
      'agents-tasks-to-proxy-8080',
      'agents-tasks-to-pull-endpoints-443',
      'agents-tasks-to-s3-443',
    ]);
  });

  it('resolves no names but those of AWS, of the proxy and of allowed hosts', async () => {
    const made = await platform({ egressMode: 'service' });
    const rules = made.of('aws:route53/resolverFirewallRule:ResolverFirewallRule');
    expect(rules.map(({ inputs }) => [inputs.priority, inputs.action]).sort()).toEqual([
      [100, 'ALLOW'],
      [200, 'BLOCK'],
    ]);
    const lists = 'aws:route53/resolverFirewallDomainList:ResolverFirewallDomainList';
    expect(made.named(lists, 'agents-everything-else').inputs.domains).toEqual(['*']);
    expect(made.named(lists, 'agents-resolvable').inputs.domains).toContain('api.anthropic.com');
    const named = await platform({ egressMode: 'service', hostname: 'berth.example.com' });
    expect(named.named(lists, 'agents-resolvable').inputs.domains).toEqual(
      expect.arrayContaining(['berth.example.com', `*.${REGION}.elb.amazonaws.com`]),
    );
    expect((await platform()).of(lists)).toEqual([]);
  });

  it('gives no container a writable root, a capability, root or a public address', async () => {
    const made = await platform({ egressMode: 'service' });
    const containers = made.names(TASK).flatMap((task) => made.containers(task));
    expect(containers).toHaveLength(7);
    for (const { readonlyRootFilesystem, linuxParameters, user } of containers) {
      expect(readonlyRootFilesystem).toBe(true);
      expect(linuxParameters.capabilities.drop).toEqual(['ALL']);
      expect(user).toMatch(/^[1-9]\d{3,}:/);
    }
    const addresses = made.of(SERVICE).map(({ inputs }) => inputs.networkConfiguration.assignPublicIp);
    expect(addresses).toEqual([false, false]);
  });
});
