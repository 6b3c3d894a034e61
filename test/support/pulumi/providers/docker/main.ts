import { serveProvider } from '../provider.ts';
import { container } from './container.ts';
import { network } from './network.ts';
import { remoteImage } from './remote-image.ts';
import { volume } from './volume.ts';

// The provider `docker`: real things on the engine of DOCKER_HOST.

await serveProvider('docker', '5.2.0', {
  'docker:index/container:Container': container,
  'docker:index/network:Network': network,
  'docker:index/volume:Volume': volume,
  'docker:index/remoteImage:RemoteImage': remoteImage,
});
