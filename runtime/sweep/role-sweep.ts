import type { Logger } from 'pino';
import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import type { ContainerId } from '../contracts/ids.ts';
import {
  type DueOrphan,
  type Mark,
  nextLook,
  planReconcile,
  type ReconcileAction,
  type ReconcilePlan,
  sortOrphans,
} from './plan-reconcile.ts';
import type { RoleOwner, Standing } from './role-owner.ts';
import { sideBySide } from './side-by-side.ts';
import type { OnSweepAction, SweepReason } from './sweep-action.ts';

const SIDE_BY_SIDE = 16;

export interface SweepReport {
  /** Containers that the backend has. */
  listed: number;
  /** Without an owner, and waiting for another look. */
  marked: number;
  adopted: number;
  destroyed: number;
  /** Kept by the breaker until an operator releases it. */
  held: number;
  /** Records whose container is gone. */
  lost: number;
  /** Seconds until there is something to do about those marked. */
  nextLookIn: number | undefined;
}

export interface RoleSweepParts {
  backend: ContainerBackend;
  graceSeconds: number;
  log: Logger;
  onAction: OnSweepAction;
}

interface Orphan {
  container: ContainerId;
  mark: Mark;
  standing: Standing;
}

/** Looks at the containers of one role, and remembers since when each orphan is one. */
export class RoleSweep {
  readonly #owner: RoleOwner;
  readonly #parts: RoleSweepParts;
  #marks = new Map<ContainerId, Mark>();
  #tripped = false;

  constructor(owner: RoleOwner, parts: RoleSweepParts) {
    this.#owner = owner;
    this.#parts = parts;
  }

  /** The last look found more orphans than can be explained, or some are still held. */
  get breakerIsOpen(): boolean {
    return this.#tripped || this.#held() > 0;
  }

  /** Kept by the breaker. */
  get heldCount(): number {
    return this.#held();
  }

  /** An operator's release that has not been acted upon yet. */
  get hasReleased(): boolean {
    return [...this.#marks.values()].some(({ released }) => released);
  }

  async look(now: number, release: boolean): Promise<SweepReport> {
    const { backend, graceSeconds } = this.#parts;
    const graceMs = graceSeconds * 1000;
    const views = new Map((await backend.list(this.#owner.role)).map((view) => [view.id, view]));
    const listed = [...views.keys()];
    const placed = await this.#owner.placed(listed);
    const orphans = sortOrphans({ listed, placed, marks: this.#marks, release, graceMs, now });
    this.#marks = orphans.marks;
    for (const container of orphans.fresh) this.#tell('marked', 'no-place', container);
    const due = await this.#askAll(orphans.due.flatMap((id) => views.get(id) ?? []));
    const plan = this.#plan(due, listed.length);
    const { adopted, destroyed } = await this.#actOnAll(plan.actions, due);
    const lost = await this.#owner.findLost(views);
    const held = this.#held();
    const nextLookMs = nextLook(this.#marks, plan.actions, graceMs, now);
    return {
      listed: listed.length,
      marked: this.#marks.size - held,
      adopted,
      destroyed,
      held,
      lost,
      nextLookIn: nextLookMs === undefined ? undefined : nextLookMs / 1000,
    };
  }

  #plan(due: Orphan[], listed: number): ReconcilePlan {
    const plan = planReconcile(
      due.map(({ container, mark, standing }) => ({ container, mark, ticket: ticketOf(standing, due) })),
      listed,
    );
    this.#tripped = plan.tripped;
    if (plan.tripped) {
      this.#parts.log.error(
        { role: this.#owner.role, orphans: due.length, listed },
        'sweep: too many containers with valid tickets have no owner; none is ended until POST /v1/sweep says so',
      );
    }
    return plan;
  }

  async #actOnAll(
    actions: ReconcileAction[],
    due: Orphan[],
  ): Promise<{ adopted: number; destroyed: number }> {
    const standings = new Map(due.map(({ container, standing }) => [container, standing]));
    const counts = { adopted: 0, destroyed: 0 };
    await sideBySide(SIDE_BY_SIDE, actions, async (action) => {
      const standing = standings.get(action.container);
      if (standing === undefined) return;
      const done = await this.#act(action, standing);
      if (done !== undefined) counts[done] += 1;
    });
    return counts;
  }

  /** One that can't be asked stays marked. */
  async #askAll(due: ContainerView[]): Promise<Orphan[]> {
    const orphans: Orphan[] = [];
    await sideBySide(SIDE_BY_SIDE, due, async (view) => {
      const mark = this.#marks.get(view.id);
      if (mark === undefined) return;
      try {
        orphans.push({ container: view.id, mark, standing: await this.#owner.ask(view) });
      } catch (error) {
        this.#fail(error, view.id, 'silent');
      }
    });
    return orphans;
  }

  async #act(
    { kind, container }: ReconcileAction,
    standing: Standing,
  ): Promise<'adopted' | 'destroyed' | undefined> {
    if (kind === 'wait') return undefined;
    if (kind === 'hold') return this.#hold(container);
    try {
      if (standing.kind === 'valid' && (await standing.adopt()) === 'done') {
        this.#marks.delete(container);
        this.#tell('adopted', 'no-place', container);
        return 'adopted';
      }
      const destroyed = await this.#owner.destroyUnowned(container);
      this.#marks.delete(container);
      if (!destroyed) return undefined;
      this.#tell('destroyed', reasonOf(standing), container);
      return 'destroyed';
    } catch (error) {
      return this.#fail(error, container, reasonOf(standing));
    }
  }

  #hold(container: ContainerId): undefined {
    const mark = this.#marks.get(container);
    if (mark === undefined) return;
    if (!mark.held) this.#tell('held', 'breaker', container);
    this.#marks.set(container, { ...mark, held: true });
  }

  #held(): number {
    return [...this.#marks.values()].filter(({ held }) => held).length;
  }

  #tell(
    action: 'marked' | 'adopted' | 'destroyed' | 'held',
    reason: SweepReason,
    container: ContainerId,
  ): void {
    const { log, onAction } = this.#parts;
    onAction(action, reason);
    log.info({ container_id: container, role: this.#owner.role, reason }, `sweep: ${action}`);
  }

  #fail(error: unknown, container: ContainerId, reason: SweepReason): undefined {
    const { log, onAction } = this.#parts;
    onAction('failed', reason);
    log.warn(
      { err: error, container_id: container, role: this.#owner.role, reason },
      'sweep: an orphan could not be seen to; the next look does',
    );
  }
}

/** Two orphans of one conversation are rivals as well. */
function ticketOf(standing: Standing, due: Orphan[]): DueOrphan['ticket'] {
  if (standing.kind === 'none') return 'none';
  const rivals = due.filter(
    (other) => other.standing.kind === 'valid' && other.standing.subject === standing.subject,
  );
  return standing.contested || rivals.length > 1 ? 'contested' : 'valid';
}

function reasonOf(standing: Standing): SweepReason {
  return standing.kind === 'none' ? standing.why : 'superseded';
}
