import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContainerBackend } from '../../../runtime/containers/container-backend.ts';
import { ProcessBackend } from '../../../runtime/containers/process/process-backend.ts';

/** Containers in which something else stands in the agent's place, see strange-agent.ts. */
export function strangeBackend(folder: string, installation: string): ContainerBackend {
  return new ProcessBackend({
    installation,
    version: '1.2.3',
    dataDir: join(folder, 'data'),
    socketBasePath: join(folder, 's'),
    agentEntry: fileURLToPath(new URL('strange-agent.ts', import.meta.url)),
    nodePath: process.execPath,
  });
}
