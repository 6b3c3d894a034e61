import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { ContainerBackend } from '../../runtime/containers/container-backend.ts';
import { ContainerAcquisition } from '../../runtime/conversations/container-acquisition.ts';
import { ContainerCreation } from '../../runtime/conversations/container-creation.ts';
import { ContainerPreparation } from '../../runtime/conversations/container-preparation.ts';
import { ContainerRetirement } from '../../runtime/conversations/container-retirement.ts';
import { FileSaving } from '../../runtime/conversations/file-saving.ts';
import { noEgress } from '../../runtime/egress-host/container-egress.ts';
import type { InstallationSecret } from '../../runtime/identity/installation-secret.ts';
import { noCheckpoint } from '../../runtime/lifecycle/checkpoint.ts';
import type { conversationParts } from '../support/conversation-parts.ts';

interface Given {
  parts: Awaited<ReturnType<typeof conversationParts>>;
  backend: ContainerBackend;
  secret: InstallationSecret;
  onAcquired: () => void;
}

/** The acquisition of those parts, put together as the service does it: they don't show their own. */
export function acquisitionOf({ parts, backend, secret, onAcquired }: Given): ContainerAcquisition {
  const { agents, ending, recovery, adoption, objects, settings } = parts;
  const nothing = () => {};
  const common = {
    ...{ store: parts.state.conversations, objects, agents, ending, recovery, settings, secret, backend },
    ...{ checkpoint: noCheckpoint, log: pino({ level: 'silent' }), egress: noEgress, instance: randomUUID() },
    images: { require: nothing, lost: nothing },
  };
  const saving = new FileSaving({
    ...common,
    onStale: (container) => ending.end(container, 0),
    onError: nothing,
  });
  const creation = new ContainerCreation({ ...common, onStarted: nothing });
  const restore = saving.restore.bind(saving);
  return new ContainerAcquisition({
    ...common,
    adoption,
    preparation: new ContainerPreparation({ ...common, creation, restore }),
    retirement: new ContainerRetirement({ ...common, saving, onUnsaved: nothing }),
    onAcquired,
  });
}
