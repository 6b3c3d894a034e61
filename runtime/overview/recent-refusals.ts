import type { ContainerId } from '../contracts/ids.ts';
import type { ProxyRefusal } from '../egress-host/proxy-refusal.ts';
import type { RefusalView } from './overview.ts';

/** A container that floods drives out only its own. */
const OF_CONTAINER = 20;
const CONTAINERS = 500;

/** Whose a container is; of a conversation, which. */
export interface RefusedOwner {
  tenant: string;
  conversation?: string;
}

interface OfContainer {
  owner: RefusedOwner | undefined;
  refusals: (Omit<ProxyRefusal, 'container'> & { at: number })[];
}

/** What egress proxies refused last, by container, with its owner at that time: it may be gone when somebody looks. */
export class RecentRefusals {
  readonly #ownerOf: (container: ContainerId) => Promise<RefusedOwner | undefined>;
  /** The one that was refused something last comes last. */
  readonly #containers = new Map<ContainerId, OfContainer>();

  constructor(ownerOf: (container: ContainerId) => Promise<RefusedOwner | undefined>) {
    this.#ownerOf = ownerOf;
  }

  async add({ container, ...refusal }: ProxyRefusal, now: number): Promise<void> {
    const known = this.#containers.get(container) ?? { owner: undefined, refusals: [] };
    known.refusals = [...known.refusals, { ...refusal, at: now }].slice(-OF_CONTAINER);
    this.#containers.delete(container);
    this.#containers.set(container, known);
    for (const oldest of this.#containers.keys()) {
      if (this.#containers.size <= CONTAINERS) break;
      this.#containers.delete(oldest);
    }
    // Nobody's may be somebody's by the next time. A store that is away is asked again then, too.
    known.owner ??= await this.#ownerOf(container).catch(() => undefined);
  }

  /** The newest first. */
  read(of: Partial<RefusedOwner>, most: number): RefusalView[] {
    return [...this.#containers]
      .filter(([, { owner }]) => of.tenant === undefined || owner?.tenant === of.tenant)
      .filter(([, { owner }]) => of.conversation === undefined || owner?.conversation === of.conversation)
      .flatMap(([container, { owner, refusals }]) => refusals.map((each) => ({ ...each, container, owner })))
      .toSorted((one, other) => other.at - one.at)
      .slice(0, most)
      .map(({ at, container, owner, host, port, reason }) => ({
        at: new Date(at).toISOString(),
        container_id: container,
        tenant: owner?.tenant ?? null,
        conversation_id: owner?.conversation ?? null,
        host: host ?? null,
        port: port ?? null,
        reason,
      }));
  }
}
