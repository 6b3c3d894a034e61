import type Docker from 'dockerode';

/** Creates a container. What dockerode is given plainly it would also write into the address, tokens and all. */
export function createContainer(
  engine: Docker,
  name: string,
  options: Docker.ContainerCreateOptions,
): Promise<Docker.Container> {
  // The types know no such call, which the modem takes.
  return engine.createContainer({ _query: { name }, _body: options } as Docker.ContainerCreateOptions);
}
