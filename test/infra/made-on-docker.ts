/** What an engine, or the provider, makes up for a resource of this type. */
export function madeOnDocker(type: string, name: string): Record<string, unknown> {
  switch (type) {
    case 'docker:index/volume:Volume':
      return { name, mountpoint: `/var/lib/docker/volumes/${name}/_data` };
    case 'docker:index/network:Network':
    case 'docker:index/container:Container':
      return { name };
    case 'docker:index/remoteImage:RemoteImage':
      return { imageId: `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)}` };
    case 'random:index/randomPassword:RandomPassword':
      return { result: `password-of-${name}` };
    case 'random:index/randomBytes:RandomBytes':
      return { hex: 'ab'.repeat(32) };
    default:
      return {};
  }
}
