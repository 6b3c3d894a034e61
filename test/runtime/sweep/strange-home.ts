import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProcessBackend } from '../../../runtime/containers/process/process-backend.ts';
import type { FleetHome } from './fleet-place.ts';

/** Containers in which something else stands in the agent's place, see strange-agent.ts. */
export const strangeHome: FleetHome = {
  image: 'workspace-base:1.2.3',
  open: ({ installation, folder }) =>
    new ProcessBackend({
      installation,
      version: '1.2.3',
      dataDir: join(folder, 'data'),
      socketBasePath: join(folder, 's'),
      agentEntry: fileURLToPath(new URL('strange-agent.ts', import.meta.url)),
      nodePath: process.execPath,
    }),
};
