import type { ContainerId } from '../contracts/ids.ts';
import type { State } from '../state/state.ts';
import type { ConversationParts } from './build-conversations.ts';

const RECOVERED = {
  type: 'container_recovered',
  message: 'the egress proxy was started again; connections through it broke',
  recovered: true,
  retry_recommended: false,
};

/** Whoever follows an execution is told; a container that did not get its way out back is replaced. */
export async function afterProxyRestart(
  { relays, recovery, ending }: Pick<ConversationParts, 'relays' | 'recovery' | 'ending'>,
  state: State,
  container: ContainerId,
  open: boolean,
): Promise<void> {
  if (open) {
    relays.tell(container, RECOVERED);
    return;
  }
  const record = await state.conversations.findByContainer(container).catch(() => undefined);
  if (record !== undefined) {
    await recovery.bury(record, {
      reason: 'no-egress',
      detail: 'its egress proxy could not be opened again',
    });
  } else if ((await state.warmPool.remove({ container, stopSeconds: 0 }).catch(() => 'stale')) === 'done') {
    await ending.destroy(container, 0);
  }
}
