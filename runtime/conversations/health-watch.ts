import type { Logger } from 'pino';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import { carriesTicketOf } from '../agent-client/agent-proof.ts';
import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import type { AgentHealth } from '../contracts/agent-protocol.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { State } from '../state/state.ts';
import { allRecords } from '../sweep/all-records.ts';
import { Leadership } from '../sweep/leadership.ts';
import { sideBySide } from '../sweep/side-by-side.ts';
import { type Inquiry, judge } from '../sweep/testimony.ts';
import { type HealthSeen, planHealth, type UnhealthyReason } from './plan-health.ts';

const SIDE_BY_SIDE = 16;

interface Parts {
  state: Pick<State, 'conversations' | 'warmPool' | 'leases'>;
  backend: ContainerBackend;
  inquiry: Inquiry;
  secret: InstallationSecret;
  /** This one, among those that share the store. */
  instance: string;
  log: Logger;
  /** Told again at the next round if it fails, or changes nothing. The record may have moved on meanwhile. */
  onUnhealthy: (record: ConversationRecord, why: UnhealthyReason) => Promise<void>;
  onUnhealthyMember: (container: ContainerId, why: UnhealthyReason) => Promise<void>;
  onCount: (why: UnhealthyReason) => void;
}

interface Patient {
  container: ContainerId;
  /** Whether an agent that proved itself is whose it should be. */
  isItsOwn: (health: AgentHealth) => boolean;
  onUnhealthy: (why: UnhealthyReason) => Promise<void>;
}

/** Asks every container of a conversation, and every warm one, how it is. Only one instance does. */
export class HealthWatch {
  readonly #parts: Parts;
  readonly #lead: Leadership;
  #failures: ReadonlyMap<ContainerId, number> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lead = new Leadership(parts.state.leases, 'health', parts.instance);
  }

  /** A backend that can't be listed makes no round: it may be us who is cut off. */
  async runOnce(): Promise<void> {
    if (!(await this.#lead.held())) return;
    const listed = await this.#parts.backend.list('conversation');
    const views = new Map(listed.map((view) => [view.id, view]));
    const failures = new Map<ContainerId, number>();
    await sideBySide(SIDE_BY_SIDE, this.#patients(), (patient) => this.#visit(patient, views, failures));
    this.#failures = failures;
  }

  async close(): Promise<void> {
    await this.#lead.resign();
  }

  async *#patients(): AsyncGenerator<Patient> {
    const { state, secret, onUnhealthy, onUnhealthyMember } = this.#parts;
    for await (const record of allRecords(state.conversations)) {
      if (record.status === 'preparing' || record.status === 'draining') continue;
      yield {
        container: record.container,
        isItsOwn: (health) => carriesTicketOf(health, record, secret),
        onUnhealthy: (why) => onUnhealthy(record, why),
      };
    }
    for (const { container } of (await state.warmPool.look()).members) {
      yield {
        container,
        // With a ticket of its own it has been claimed since the pool was read.
        isItsOwn: (health) => health.ticket === null || judge(health, container, secret).kind === 'ticket',
        onUnhealthy: (why) => onUnhealthyMember(container, why),
      };
    }
  }

  async #visit(
    patient: Patient,
    views: ReadonlyMap<ContainerId, ContainerView>,
    failures: Map<ContainerId, number>,
  ): Promise<void> {
    const { log, onCount } = this.#parts;
    const { container } = patient;
    const before = this.#failures.get(container) ?? 0;
    if (before > 0) failures.set(container, before); // also where nothing can be said this time
    try {
      const verdict = planHealth(await this.#look(patient, views.get(container)), before);
      if (verdict.failures > 0) failures.set(container, verdict.failures);
      else failures.delete(container);
      if (verdict.unhealthy === undefined) return;
      onCount(verdict.unhealthy);
      log.warn({ container_id: container, reason: verdict.unhealthy }, 'a container is unhealthy');
      await patient.onUnhealthy(verdict.unhealthy);
    } catch (error) {
      log.warn({ err: error, container_id: container }, 'the health of a container could not be seen to');
    }
  }

  async #look(patient: Patient, listed: ContainerView | undefined): Promise<HealthSeen> {
    // A record may be younger than the list: only the backend's word on this very container counts.
    const view = listed ?? (await this.#parts.backend.inspect(patient.container));
    if (view === undefined) return 'absent';
    if (view.state === 'exited') return 'exited';
    try {
      const health = await this.#parts.inquiry.health(patient.container);
      if (!patient.isItsOwn(health)) return 'foreign-ticket';
      return view.state === 'created' ? 'not-running' : 'well';
    } catch (error) {
      if (error instanceof AgentMisbehaved) return 'impostor';
      if (error instanceof AgentUnreachable || error instanceof BerthError) return 'unanswered';
      throw error;
    }
  }
}
