import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentClients } from '../agent-client/agent-clients.ts';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import { awaitAgent, proveUnassigned } from '../agent-client/agent-proof.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import { type ContainerEgress, WayOutLost } from '../egress-host/container-egress.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import type {
  AcquireRequest,
  ConfirmResult,
  ConversationStore,
  Fenced,
} from '../state/conversation-store.ts';
import type { ContainerEnding } from './container-ending.ts';
import { type ConversationSettings, PREPARATION_LEASE_SECONDS } from './conversation-settings.ts';
import { LeaseRenewal } from './lease-renewal.ts';
import type { OwnOrEarlier } from './own-or-earlier.ts';

interface Parts {
  store: ConversationStore;
  creation: OwnOrEarlier;
  agents: AgentClients;
  secret: InstallationSecret;
  settings: ConversationSettings;
  ending: ContainerEnding;
  egress: ContainerEgress;
  /**
   * Puts the conversation's saved files into a container, once it is proved; the version they have, or null when
   * none are saved.
   */
  restore: (
    record: ConversationRecord,
    proof: Promise<unknown>,
    signal: AbortSignal,
  ) => Promise<string | null>;
  /** `lost` is told when the image is missing after all. */
  images: { lost(): void };
  checkpoint: Checkpoint;
  log: Logger;
}

/** Whether a container was confirmed is not known. */
class Unsure extends Error {}

const CONFIRMATIONS = 10;
const CONFIRM_AGAIN_MS = 500;

/** Who prepares it, and what it is for. */
type Asked = Pick<AcquireRequest, 'owner' | 'work'>;

/** The record with the work begun; without, `acquire` tells what stood against it. */
export interface Prepared {
  begun: ConversationRecord | undefined;
}

/** What differs between a container that is made and one that is there. */
interface Steps {
  begin(lease: { owner: string; leaseSeconds: number }, signal: AbortSignal): Promise<void>;
  /** Its way out, before anything runs there. */
  open(): Promise<void>;
  /** The agent is this very container's, and nobody's yet. */
  prove(signal: AbortSignal): Promise<unknown>;
}

/** A member of the pool was there first: the record is bound to it now, and the place is the pool's. */
class MemberFirst extends Error {
  readonly record: ConversationRecord;

  constructor(record: ConversationRecord) {
    super('a member of the pool was there first');
    this.record = record;
  }
}

/** A member of the pool that does not answer is dead, whatever it says next: the caller takes another. */
class DeadMember extends Error {}

/** Makes a container into a conversation's own: proved, files restored, and last assigned; then it is `ready`. */
export class ContainerPreparation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Creates it first. Whatever fails, nothing of the container stays. `instead`: a member of the pool, bound to the
   * record, that was there earlier.
   */
  async prepareCold(
    record: ConversationRecord,
    request: Asked,
    signal: AbortSignal,
  ): Promise<Prepared | { instead: ConversationRecord }> {
    try {
      return await this.#prepareOwn(record, request, signal);
    } catch (error) {
      if (error instanceof MemberFirst) return { instead: error.record };
      throw error;
    }
  }

  #prepareOwn(record: ConversationRecord, request: Asked, signal: AbortSignal): Promise<Prepared> {
    const { store, creation, agents, secret, egress, checkpoint } = this.#parts;
    return this.#prepare(record, request, signal, {
      async begin(lease, until) {
        await checkpoint('claim.reserved');
        const instead = await creation.create(record, lease, until);
        if (instead !== undefined) throw new MemberFirst(instead);
        await checkpoint('claim.created');
        ours(await store.bind({ ...record, ...lease }));
        await checkpoint('claim.bound');
      },
      open: () => egress.open(record.container, record),
      prove: (until) => awaitAgent(agents.of(record.container), record.container, secret, until),
    });
  }

  /** Undefined: the member was dead. It is gone now. */
  async prepareWarm(
    record: ConversationRecord,
    request: Asked,
    signal: AbortSignal,
  ): Promise<Prepared | undefined> {
    const { agents, secret, egress, checkpoint } = this.#parts;
    try {
      return await this.#prepare(record, request, signal, {
        begin: async () => checkpoint('claim.popped'),
        open: () =>
          egress.claim(record.container, record).catch((error) => {
            throw error instanceof WayOutLost ? new DeadMember(error.detail, { cause: error }) : error;
          }),
        prove: () =>
          proveUnassigned(agents.of(record.container), record.container, secret).catch((error) => {
            throw new DeadMember('a member of the warm pool does not prove to live', { cause: error });
          }),
      });
    } catch (error) {
      if (!(error instanceof DeadMember)) throw error;
      this.#parts.log.warn({ err: error, container_id: record.container }, 'a warm container was dead');
      return undefined;
    }
  }

  async #prepare(
    record: ConversationRecord,
    request: Asked,
    signal: AbortSignal,
    steps: Steps,
  ): Promise<Prepared> {
    const { store, ending, images, log } = this.#parts;
    const lease = { owner: request.owner, leaseSeconds: PREPARATION_LEASE_SECONDS };
    const lost = new AbortController();
    using _renewal = new LeaseRenewal(
      PREPARATION_LEASE_SECONDS,
      () => store.renewPreparation({ ...record, ...lease }),
      () => lost.abort(tooLate()),
    );
    try {
      const until = AbortSignal.any([signal, lost.signal]);
      await steps.begin(lease, until);
      const open = steps.open();
      open.catch(() => {}); // told below
      return await this.#personalise(record, request, { proof: steps.prove(until), open }, until);
    } catch (error) {
      // Not ours to end: others may use it. If they don't, its lease lapses and it is collected.
      if (error instanceof Unsure) throw error.cause;
      if (error instanceof MemberFirst) throw error;
      // What can't be ended now stays a reserved place, which is taken up again when due.
      await ending
        .end(record, 0)
        .catch((failure) =>
          log.warn(
            { err: failure, container_id: record.container },
            'a failed preparation could not be cleaned up yet',
          ),
        );
      if (isBerthError(error, 'IMAGE_PULL_FAILED')) images.lost();
      throw asProblem(error);
    }
  }

  /** The ticket goes last: a container that has one is whole. */
  async #personalise(
    record: ConversationRecord,
    request: Asked,
    { proof, open }: { proof: Promise<unknown>; open: Promise<void> },
    signal: AbortSignal,
  ): Promise<Prepared> {
    const { store, agents, secret, restore, checkpoint } = this.#parts;
    const version = await restore(record, proof, signal);
    await checkpoint('claim.restored');
    if (version !== null) ours(await store.saved({ ...record, version }));
    const ticket = secret.sealTicket({
      container_id: record.container,
      tenant_id: record.tenant,
      conversation_id: record.conversation,
      claimed_at: record.claimedAt,
      restored_version: version,
    });
    const env = { CONVERSATION_ID: record.conversation };
    await Promise.all([agents.of(record.container).assign({ ticket, env }, signal), open]);
    await checkpoint('claim.assigned');
    const confirmed = await this.#confirm(record, request);
    if (confirmed.kind === 'stale') throw tooLate();
    await checkpoint('claim.confirmed');
    return { begun: confirmed.kind === 'live' ? confirmed.record : undefined };
  }

  /** Its answer may be lost though it is carried out, and others work there already: asked again, it says so. */
  async #confirm(record: ConversationRecord, { owner, work }: Asked): Promise<ConfirmResult> {
    const { store, settings } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store.confirm({ ...record, owner, ttl: settings.ttl, work });
      } catch (error) {
        if (!isBerthError(error, 'STORE_UNAVAILABLE')) throw error;
        if (attempt === CONFIRMATIONS)
          throw new Unsure('whether the container is ready is not known', { cause: error });
        await sleep(CONFIRM_AGAIN_MS);
      }
    }
  }
}

function ours(result: Fenced): void {
  if (result === 'stale') throw tooLate();
}

function tooLate(): BerthError {
  return new BerthError('START_TIMEOUT', 'the preparation took too long and was given up');
}

function asProblem(error: unknown): unknown {
  if (error instanceof AgentUnreachable || error instanceof AgentMisbehaved) {
    return new BerthError('HEALTH_CHECK_FAILED', error.message, {}, error);
  }
  return error;
}
