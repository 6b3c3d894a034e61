import { Network } from '@pulumi/docker';
import { ComponentResource, type ComponentResourceOptions, type Output, output } from '@pulumi/pulumi';
import { checkPlatform } from '../check-platform.ts';
import type { ImageName } from '../image-contexts.ts';
import type { PlatformArgs } from '../platform-args.ts';
import { VERSION } from '../version.ts';
import { dockerEgress } from './docker-egress.ts';
import { dockerEnvironment } from './docker-environment.ts';
import { dockerImageRemoval } from './docker-image-removal.ts';
import { localImage } from './docker-images.ts';
import { dockerRuntime } from './docker-runtime.ts';
import { dockerSecrets } from './docker-secrets.ts';
import { socketFolder } from './docker-sockets.ts';
import { dockerStores, PULLED_IMAGES } from './docker-stores.ts';
import { dockerSweeper } from './docker-sweeper.ts';
import { runtimeProgram } from './runtime-program.ts';

/** The platform on one machine with a Docker engine: the runtime, its stores and its images. */
export class DockerPlatform extends ComponentResource {
  readonly url: Output<string>;
  readonly apiKey: Output<string>;
  readonly backend: Output<string>;
  readonly version: Output<string>;

  constructor(name: string, args: Omit<PlatformArgs, 'platform'> = {}, options?: ComponentResourceOptions) {
    const given: PlatformArgs = { ...args, platform: 'docker' };
    checkPlatform(name, given);
    super('berth:index:DockerPlatform', name, {}, options);
    const { version = VERSION, destroyData = false, port = 7420 } = given;
    const url = `http://127.0.0.1:${port}`;
    const parent = this;
    const labels = [{ label: 'berth.platform', value: name }];

    const secrets = dockerSecrets(name, parent);
    const removal = dockerImageRemoval(name, { pulled: PULLED_IMAGES, destroyData, parent });
    const built = { version, removal, parent };
    const image = (of: ImageName) => localImage(name, of, built);
    const runtimeImage = image('runtime');
    const stores = new Network(`${name}-stores`, { internal: true, labels }, { parent });
    const front = new Network(`${name}-front`, { labels }, { parent });
    const { redisUrl, databaseUrl, containers } = dockerStores(name, {
      network: stores,
      secrets,
      labels,
      destroyData,
      removal,
      parent,
    });
    const egress =
      given.egressMode === 'service'
        ? dockerEgress(name, { image: image('proxy-sidecar'), network: front, labels, parent })
        : undefined;
    const sockets = socketFolder(name, { runtimeImage, labels, parent });
    const environment = dockerEnvironment({
      args: given,
      installation: name,
      workspaceImage: image('workspace-base'),
      ownImages: {
        'workspace-editor': image('workspace-editor'),
        'function-node': image('function-node'),
        'function-python': image('function-python'),
      },
      socketFolder: sockets.volume.mountpoint,
      redisUrl,
      databaseUrl,
      installationSecret: secrets.installationSecret,
      apiKeys: secrets.apiKeys,
      egress,
      port,
      url,
    });
    const program = runtimeProgram(name, {
      image: runtimeImage,
      environment,
      sockets: sockets.volume,
      networks: { stores, front },
      labels,
      destroyData,
      parent,
    });
    const needed = [...containers, sockets.ready, ...(egress ? [egress.container] : [])];
    const sweeper = dockerSweeper(name, { program, destroyData, dependsOn: needed, parent });
    const runtime = dockerRuntime(name, { program, port, dependsOn: [...needed, sweeper], parent });

    this.url = output(runtime.id).apply(() => url);
    this.apiKey = secrets.apiKey;
    this.backend = output('docker');
    this.version = output(version);
    this.registerOutputs({
      url: this.url,
      apiKey: this.apiKey,
      backend: this.backend,
      version: this.version,
    });
  }
}
