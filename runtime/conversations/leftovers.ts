import type { Logger } from 'pino';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';

/**
 * Ends every conversation container of this installation but those to be kept. For an instance that shares them with
 * no other.
 */
export async function endLeftovers(
  backend: ContainerBackend,
  log: Logger,
  kept: ReadonlySet<ContainerId> = new Set(),
): Promise<void> {
  const found = (await backend.list('conversation')).filter(({ id }) => !kept.has(id));
  if (found.length === 0) return;
  log.info({ containers: found.length }, 'ending the containers of this installation');
  await Promise.all(
    found.map(({ id }) =>
      backend.destroy(id, { stopSeconds: 0 }).catch((error) => {
        log.warn({ err: error, container_id: id }, 'a container could not be ended');
      }),
    ),
  );
}
