import type { Logger } from 'pino';
import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { State } from '../state/state.ts';
import type { Adoption } from './adoption.ts';
import { allRecords } from './all-records.ts';
import { type AdoptionSettings, adoptRequest } from './plan-adoption.ts';
import type { RoleOwner, Standing } from './role-owner.ts';
import { sideBySide } from './side-by-side.ts';
import type { OnSweepAction } from './sweep-action.ts';
import type { Inquiry } from './testimony.ts';

const SIDE_BY_SIDE = 16;

interface Parts {
  state: Pick<State, 'conversations' | 'adoption'>;
  backend: ContainerBackend;
  adoption: Adoption;
  inquiry: Inquiry;
  settings: AdoptionSettings;
  log: Logger;
  onAction: OnSweepAction;
  /** Destroys a container that no record names, at once, and frees its place. */
  destroy: (container: ContainerId) => Promise<void>;
  /** The container of a live record is gone. */
  onLost: (record: ConversationRecord) => Promise<void>;
}

/** The containers of conversations, the warm ones among them. */
export class ConversationOwner implements RoleOwner {
  readonly role = 'conversation';
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async placed(containers: ContainerId[]): Promise<ReadonlySet<ContainerId>> {
    const { state, adoption } = this.#parts;
    for (;;) {
      const places = await state.conversations.places(containers);
      // A store that was emptied knows of no places, which says nothing about the containers.
      if ((await state.adoption.needed()) === undefined) return new Set(places.keys());
      await adoption.run();
    }
  }

  async ask(container: ContainerView): Promise<Standing> {
    const { state, inquiry, settings } = this.#parts;
    const testimony = await inquiry.ask(container);
    if (testimony.kind === 'none') return testimony;
    const { tenant_id, conversation_id } = testimony.ticket;
    return {
      kind: 'valid',
      subject: `${tenant_id}:${conversation_id}`,
      contested: (await state.conversations.get(tenant_id, conversation_id)) !== undefined,
      adopt: () => state.adoption.adopt(adoptRequest({ container, ...testimony }, settings)),
    };
  }

  async destroyUnowned(container: ContainerId): Promise<boolean> {
    const { conversations, adoption } = this.#parts.state;
    // With this place nobody else can take it: an adoption of it is stale from here on.
    await adoption.reserveUnknown([container]);
    const places = await conversations.places([container]);
    if (places.get(container) !== 'reserved') return false;
    // A place that was reserved to create it in belongs to its record.
    if ((await conversations.findByContainer(container)) !== undefined) return false;
    await this.#parts.destroy(container);
    return true;
  }

  async findLost(listed: ReadonlyMap<ContainerId, ContainerView>): Promise<number> {
    let lost = 0;
    await sideBySide(SIDE_BY_SIDE, allRecords(this.#parts.state.conversations), async (record) => {
      if (listed.has(record.container) || !isLive(record)) return;
      if (await this.#isLost(record)) lost += 1;
    });
    return lost;
  }

  /** A record may be younger than the list: only the backend's word on this very container counts. */
  async #isLost(record: ConversationRecord): Promise<boolean> {
    const { backend, log, onAction, onLost } = this.#parts;
    const who = { container_id: record.container, tenant: record.tenant };
    try {
      if ((await backend.inspect(record.container)) !== undefined) return false;
      await onLost(record);
      onAction('lost', 'absent');
      log.warn(who, 'sweep: the container of a conversation is gone');
      return true;
    } catch (error) {
      onAction('failed', 'absent');
      log.warn({ err: error, ...who }, 'a lost container could not be seen to; the next look does');
      return false;
    }
  }
}

/** A container that is being prepared may not be there yet; one that is drained is seen to by who drains it. */
function isLive({ status }: ConversationRecord): boolean {
  return status !== 'preparing' && status !== 'draining';
}
