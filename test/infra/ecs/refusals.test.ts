import { Provider } from '@pulumi/aws/provider.js';
import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it } from 'vitest';
import { EcsPlatform } from '../../../infra/ecs/ecs-platform.ts';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { WorkspacePlatform } from '../../../infra/workspace-platform.ts';
import { CERTIFICATE, REGION, recordAws, registering } from './aws-mocks.ts';

const aws = recordAws();
beforeAll(() => runtime.setConfig('aws:region', REGION));

describe('a platform on ECS that can not be', () => {
  it.each<[string, Omit<PlatformArgs, 'platform'>, RegExp]>([
    ['agents', { certificateArn: CERTIFICATE, runtimeReplicas: 0 }, /runtimeReplicas wants a whole number/],
    ['agents', { certificateArn: CERTIFICATE, runtimeReplicas: 1 }, /runtimeReplicas wants 2 or more on ecs/],
    ['agents', {}, /certificateArn wants the certificate/],
    ['agents', { certificateArn: CERTIFICATE, maxContainers: 48_971 }, /maxContainers wants at most 48970/],
    [
      'agents',
      { certificateArn: CERTIFICATE, egressMode: 'service', bedrockRegion: 'eu-west-1' },
      /bedrockRegion wants the platform's own region/,
    ],
    ['Agents', { certificateArn: CERTIFICATE }, /its name wants up to 24 of a-z/],
    ['a-name-that-is-far-too-long', { certificateArn: CERTIFICATE }, /its name wants up to 24/],
    [
      'agents',
      { certificateArn: CERTIFICATE, maxContainer: 5 } as object,
      /maxContainer wants to be left out/,
    ],
    [
      'a--b',
      { maxContainers: 48_971 },
      /its name wants(.*\n)+ *certificateArn wants(.*\n)+ *maxContainers wants/,
    ],
  ])('%s with %o is refused before anything is made', (name, args, words) => {
    expect(() => new EcsPlatform(name, args)).toThrow(words);
    expect(() => new WorkspacePlatform(name, { platform: 'ecs', ...args })).toThrow(words);
    expect(aws.resources).toEqual([]);
  });

  it('is not refused for the region of a provider that it is not made with', async () => {
    const args = { certificateArn: CERTIFICATE, egressMode: 'service', bedrockRegion: 'eu-west-1' } as const;
    const provider = new Provider('elsewhere', { region: 'eu-west-1' });
    await registering(() => new WorkspacePlatform('agents', { platform: 'ecs', ...args }, { provider }));
    expect(aws.of('aws:ecs/service:Service').length).toBeGreaterThan(0);
  });
});
