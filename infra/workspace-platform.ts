import { ComponentResource, type Output } from '@pulumi/pulumi';
import { checkPlatform } from './check-platform.ts';
import { DockerPlatform } from './docker/docker-platform.ts';
import { EcsPlatform } from './ecs/ecs-platform.ts';
import { heldBack } from './held-back.ts';
import type { PlatformArgs } from './platform-args.ts';
import { type PlatformOptions, withTransform } from './transform.ts';

export type { PlatformOptions, Transform } from './transform.ts';

/**
 * Warm, isolated workspaces for AI agents: the runtime, where its containers run, its stores and its images, all of one
 * version.
 *
 * ```ts
 * const agents = new WorkspacePlatform('agents', { platform: 'docker', allowedDomains: ['pypi.org'] });
 * export const { url, apiKey } = agents;
 * ```
 */
export class WorkspacePlatform extends ComponentResource {
  /** Where the API is. */
  readonly url: Output<string>;
  /** A key of scope `admin`. Secret. */
  readonly apiKey: Output<string>;
  /** What runs containers. */
  readonly backend: Output<string>;
  /** Of the images and the runtime. */
  readonly version: Output<string>;
  /** On ecs: the network that it is in. */
  readonly vpcId?: Output<string>;

  constructor(name: string, args: PlatformArgs, options: PlatformOptions = {}) {
    checkPlatform(name, args, options);
    const held = heldBack(withTransform(options, { name, kind: args.platform }));
    super('berth:index:WorkspacePlatform', name, {}, held.options);
    const Platform = args.platform === 'ecs' ? EcsPlatform : DockerPlatform;
    const made = new Platform(name, args, { parent: this });
    const { url, apiKey, backend, version } = made;
    const network = made instanceof EcsPlatform ? { vpcId: made.vpcId } : {};
    held.until(made instanceof EcsPlatform ? made.fits : undefined);
    this.url = url;
    this.apiKey = apiKey;
    this.backend = backend;
    this.version = version;
    if (network.vpcId !== undefined) this.vpcId = network.vpcId;
    this.registerOutputs({ url, apiKey, backend, version, ...network });
  }
}
