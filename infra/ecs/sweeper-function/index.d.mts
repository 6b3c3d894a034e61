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
}

/** An order as a resource with a life cycle passes it on. */
export interface SweepEvent extends SweepOrder {
  tf?: { action: 'create' | 'update' | 'delete' };
}

export function handler(event: SweepEvent): Promise<{ swept: boolean }>;

export function sweep(
  ecs: ECSClient,
  order: SweepOrder,
  patience: { pollMs: number; giveUpMs: number },
): Promise<void>;
