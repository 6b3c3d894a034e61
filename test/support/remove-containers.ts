import Docker from 'dockerode';
import { LABEL } from '../../runtime/contracts/labels.ts';

/** Removes what an installation of a test left in the engine. */
export async function removeContainers(dockerHost: string, installation: string): Promise<void> {
  const engine = new Docker({ socketPath: dockerHost.replace('unix://', '') });
  const filters = { label: [`${LABEL.installation}=${installation}`] };
  const left = await engine.listContainers({ all: true, filters });
  await Promise.all(left.map(({ Id }) => engine.getContainer(Id).remove({ force: true })));
}
