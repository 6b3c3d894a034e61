import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../infra/version.ts';
import { violations } from './policy/violations.ts';
import { type RegisteredWithOptions, type Registry, registry } from './registered.ts';

const run = promisify(execFile);
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const CONTAINER = 'docker:index/container:Container';
const TASK = 'aws:ecs/taskDefinition:TaskDefinition';

/** What the stack of this name registers, by the program that Pulumi starts and the settings of its file. */
async function registeredBy(stack: string): Promise<Registry & { outputs: string[] }> {
  const { stdout } = await run(process.execPath, [path('stack.program.ts'), stack], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const { resources, outputs } = JSON.parse(stdout) as {
    resources: RegisteredWithOptions[];
    outputs: string[];
  }; // as the program prints it
  return { ...registry(resources), outputs };
}

const names = (resources: RegisteredWithOptions[]) => resources.map(({ name }) => name).sort();
const OUTPUTS = ['apiKey', 'backend', 'url', 'version', 'vpcId'];

describe('the program of the stack dev', () => {
  let dev: Awaited<ReturnType<typeof registeredBy>>;
  beforeAll(async () => {
    dev = await registeredBy('dev');
  });

  it('registers a platform on Docker, all of it below one component, and tells where it is', () => {
    expect(names(dev.of('berth:index:WorkspacePlatform'))).toEqual(['berth-dev']);
    expect(new Set(dev.resources.map(({ type }) => type.split(':')[0]))).toEqual(
      new Set(['berth', 'command', 'docker', 'docker-build', 'random']),
    );
    expect(names(dev.of(CONTAINER))).toEqual(
      ['postgres', 'redis', 'runtime', 'sockets'].map((part) => `berth-dev-${part}`),
    );
    expect(names(dev.of('docker:index/volume:Volume').filter(({ retained }) => retained))).toEqual(
      ['data', 'postgres', 'redis'].map((part) => `berth-dev-${part}`),
    );
    const { inputs } = dev.named(CONTAINER, 'berth-dev-runtime');
    expect(inputs.ports).toEqual([{ internal: 7420, external: 7420, ip: '127.0.0.1' }]);
    expect(inputs.image).toMatch(new RegExp(`^runtime:${VERSION}-[0-9a-f]{12}\\.berth-dev$`));
    expect(JSON.stringify(inputs.envs)).toContain('WORKSPACE_DOMAIN=workspaces.localhost');
    expect(dev.outputs).toEqual(OUTPUTS);
  });

  it('keeps every rule', () => expect(violations(dev.resources)).toEqual([]));
});

describe('the program of the stack prod', () => {
  let prod: Awaited<ReturnType<typeof registeredBy>>;
  beforeAll(async () => {
    prod = await registeredBy('prod');
  });

  it('registers a platform on ECS, whose models are signed in its own region, and tells where it is', () => {
    expect(names(prod.of('berth:index:WorkspacePlatform'))).toEqual(['berth-prod']);
    expect(new Set(prod.resources.map(({ type }) => type.split(':')[0]))).toEqual(
      new Set(['berth', 'aws', 'docker-build', 'random']),
    );
    expect(names(prod.of(TASK))).toEqual([
      'berth-prod-runtime',
      'berth-prod-workspace',
      'berth-prod-workspace-agent',
    ]);
    expect(names(prod.of('aws:iam/role:Role'))).toEqual(
      [
        ...['bedrock', 'runtime', 'runtime-execution', 'sweeper'],
        ...['workspace-agent-execution', 'workspace-execution'],
      ].map((role) => `berth-prod-${role}`),
    );
    const services = prod.of('aws:ec2/vpcEndpoint:VpcEndpoint').map(({ inputs }) => inputs.serviceName);
    expect(services.map((service) => service.replace('com.amazonaws.us-east-1.', '')).sort()).toEqual([
      ...[
        'bedrock-runtime',
        'ecr.api',
        'ecr.dkr',
        'ecs',
        'elasticfilesystem',
        'logs',
        's3',
        'secretsmanager',
        'sts',
      ],
    ]);
    const [runtime] = JSON.parse(prod.named(TASK, 'berth-prod-runtime').inputs.containerDefinitions);
    expect(runtime.environment).toContainEqual({ name: 'BEDROCK_REGION', value: 'us-east-1' });
    expect(runtime.image).toContain('/berth-prod/runtime@sha256:');
    expect(prod.outputs).toEqual(OUTPUTS);
  });

  it('keeps the data of a platform that is destroyed', () => {
    for (const type of ['aws:s3/bucket:Bucket', 'aws:rds/instance:Instance'])
      expect(prod.of(type).filter(({ retained }) => retained)).toHaveLength(1);
  });

  it('keeps every rule', () => expect(violations(prod.resources)).toEqual([]));
});

describe('the program on an older Node', () => {
  const OLD =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';

  it('says in one line which it wants, and which is on the path', async () => {
    const args = ['--import', `data:text/javascript,${OLD}`, path('../../infra/main.mjs')];
    await expect(run(process.execPath, args)).rejects.toMatchObject({
      code: 1,
      stderr: `Berth wants Node 24 or later on the PATH, where ${process.execPath} is 20.20.2.\n`,
    });
  });
});
