import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlatformArgs } from '../../infra/platform-args.ts';
import { VERSION } from '../../infra/version.ts';
import { WorkspacePlatform } from '../../infra/workspace-platform.ts';
import { CERTIFICATE, REGION, recordAws, registering } from './ecs/aws-mocks.ts';
import { outcome } from './registered.ts';

vi.mock('../../infra/image-contexts.ts', () => import('./made-image-contexts.ts'));

const IMAGE = 'docker-build:index:Image';
const TASK = 'aws:ecs/taskDefinition:TaskDefinition';

const aws = recordAws();
beforeAll(() => runtime.setConfig('aws:region', REGION));

async function made(platform: 'docker' | 'ecs', version?: string): Promise<WorkspacePlatform> {
  aws.resources.splice(0);
  const args: PlatformArgs = {
    platform,
    egressMode: 'service',
    ...(platform === 'ecs' && { certificateArn: CERTIFICATE }),
    ...(version !== undefined && { version }),
  };
  return registering(() => new WorkspacePlatform('agents', args));
}

describe.each(['docker', 'ecs'] as const)('a platform on %s', (platform) => {
  it.each([undefined, VERSION])("is of the package's version in all its parts, given %s", async (given) => {
    const component = await made(platform, given);
    expect(await outcome(component.version)).toBe(VERSION);
    const images = aws.of(IMAGE);
    expect(images.map(({ name }) => name).sort()).toEqual([
      ...(platform === 'docker' ? ['agents-function-node', 'agents-function-python'] : []),
      'agents-proxy-sidecar',
      'agents-runtime',
      'agents-workspace-base',
      'agents-workspace-editor',
    ]);
    for (const { inputs } of images) {
      expect(inputs.labels['berth.version']).toBe(VERSION);
      expect(inputs.tags).toEqual([expect.stringContaining(`:${VERSION}-`)]);
    }
  });

  it('is of no other version: what is built is what the package has', async () => {
    await expect(made(platform, '9.8.7')).rejects.toThrow('to have another, install that one');
    expect(aws.resources).toEqual([]);
  });
});

describe('a task definition', () => {
  it('names nothing but what was built for it, by what was built', async () => {
    await made('ecs');
    const digests = new Map(
      aws.of(IMAGE).map(({ name, inputs }) => {
        const digest = Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64);
        return [`${String(inputs.tags[0]).split(`:${VERSION}-`)[0]}@sha256:${digest}`, name];
      }),
    );
    const used = aws
      .of(TASK)
      .flatMap(({ inputs }) => JSON.parse(inputs.containerDefinitions) as { image: string }[])
      .map(({ image }) => digests.get(image));
    expect(used.sort()).toEqual([
      'agents-proxy-sidecar',
      'agents-proxy-sidecar',
      'agents-proxy-sidecar',
      'agents-runtime',
      'agents-workspace-base',
      'agents-workspace-base',
      'agents-workspace-editor',
    ]);
  });
});

describe('containers on Docker', () => {
  it('are made of what was built, by its tag', async () => {
    await made('docker');
    const tags = aws.of(IMAGE).flatMap(({ inputs }) => inputs.tags);
    const ours = aws
      .of('docker:index/container:Container')
      .filter(({ name }) => /-(runtime|proxy|sockets)$/.test(name));
    expect(ours).toHaveLength(3);
    for (const { inputs } of ours) expect(tags).toContain(inputs.image);
  });
});
