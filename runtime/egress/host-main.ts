import type { HostMessage, HostRequest } from './host-messages.ts';
import { HostedContainers } from './hosted-containers.ts';

/** The egress proxy as the runtime's child: it takes orders over their channel, and goes when that closes. */
const channel = process.send?.bind(process);
if (channel === undefined) {
  console.error('egress proxy: it is started by the runtime, which gives it a channel');
  process.exit(2);
}

function tell(message: HostMessage): void {
  if (process.connected) channel?.(message);
}

const containers = new HostedContainers(({ level, message, ...fields }) =>
  tell({ kind: 'log', level, message, fields }),
);

// The cast: only the runtime, of the same version, has the other end of the channel.
process.on('message', (received) => void answer(received as HostRequest & { id: number }));
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group: the runtime says when it is over.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

async function answer({ id, ...request }: HostRequest & { id: number }): Promise<void> {
  try {
    tell({ kind: 'answer', id, result: await containers.carryOut(request) });
  } catch (error) {
    tell({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
}

tell({ kind: 'ready' });
