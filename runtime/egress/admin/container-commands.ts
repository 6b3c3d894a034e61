import { parseEgressState } from '../routes/parse-rules.ts';
import { objectOf, textOf } from '../routes/rule-fields.ts';
import type { ServedContainers } from '../served-containers.ts';
import type { AdminOffers } from './admin-server.ts';
import { refusing } from './gate-commands.ts';

const STATE = /^\/admin\/containers\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})\/state$/;
const CONTAINER = /^\/admin\/containers\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

/** What the admin side of the shared proxy offers: the same for each of its containers. */
export function containerCommands(containers: ServedContainers): AdminOffers {
  return {
    command: (method, path) => {
      const [, put] = (method === 'PUT' && STATE.exec(path)) || [];
      if (put !== undefined) {
        const run = (body: unknown): unknown => {
          refusing(() => {
            const { credential_sha256, state } = objectOf(body, 'the body', ['credential_sha256', 'state']);
            const hash = textOf(credential_sha256, 'credential_sha256', /^[0-9a-f]{64}$/, '64 hex digits');
            containers.put(put, Buffer.from(hash, 'hex'), parseEgressState(state));
          });
          return {};
        };
        return { subject: `container ${put}`, run };
      }
      const [, removed] = (method === 'DELETE' && CONTAINER.exec(path)) || [];
      if (removed === undefined) return undefined;
      // The last of its counters goes with the answer, or would be lost.
      return { subject: `container ${removed}`, run: () => ({ stats: containers.remove(removed) ?? null }) };
    },
    stats: () => ({ containers: containers.looks() }),
  };
}
