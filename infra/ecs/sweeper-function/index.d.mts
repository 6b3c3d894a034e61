import type { ECSClient } from '@aws-sdk/client-ecs';

/** The task that ends all others, and where it runs. */
export interface SweepOrder {
  cluster: string;
  /** Of the runtime. */
  taskDefinition: string;
  family: string;
  container: string;
  command: string[];
  subnets: string[];
  securityGroups: string[];
  /** Where it tells what it does. */
  logGroup: string;
  /** Of all task definitions of the platform: none is active once it is gone. */
  families: string[];
  /** What the families begin with that the runtime makes for workspaces: there is one where there is a home. */
  workspaceFamilies: string;
  /** Whether homes go, too. */
  purge: boolean;
}

/** What is deployed: of these families, it and what was before it stay. */
export interface RevisionsOrder {
  families: string[];
  /** ARNs. */
  revisions: string[];
}

/** An order as a resource with a life cycle passes it on. */
type Event<Order> = Order & {
  tf?: { action: 'create' | 'update' | 'delete'; prev_input: Order | null };
};

export function handler(event: Event<SweepOrder>): Promise<{ swept: boolean }>;
export function handler(event: Event<RevisionsOrder>): Promise<{ deregistered: string[] }>;

export function sweep(
  ecs: ECSClient,
  order: SweepOrder,
  patience: { pollMs: number; giveUpMs: number },
): Promise<void>;
