import type { Instant } from '../contracts/conversation-record.ts';
import type { FunctionKey } from '../contracts/function-key.ts';
import type { FunctionName, TenantId } from '../contracts/ids.ts';

/** The functions table: what tenants have defined. Times are the database's. */
export interface Functions {
  /** Makes it, or replaces all that was said of it before. Refused where it would be one more than `limit` of its tenant. */
  put(definition: NewFunction, limit: number): Promise<Put>;

  get(of: FunctionKey): Promise<FunctionRow | undefined>;

  /** In order of name. */
  list(tenant: TenantId, page: { limit: number; after?: FunctionName }): Promise<FunctionRow[]>;

  /** Of all tenants, in one order. */
  all(page: { limit: number; after?: FunctionKey }): Promise<FunctionRow[]>;

  /** Whether it was there. */
  delete(of: FunctionKey): Promise<boolean>;

  count(tenant: TenantId): Promise<number>;
}

export type Put =
  | { kind: 'created' | 'changed'; row: FunctionRow }
  | { kind: 'over-quota'; limit: number; used: number };

export interface NewFunction extends FunctionKey {
  image: string;
  sealedEnv: string;
  port: number;
  path: string;
  timeoutSeconds: number;
  resources: { cpus: number; memoryMb: number; pids: number };
  scaling: {
    minCapacity: number;
    maxCapacity: number;
    idleTimeoutSeconds: number;
    acquireTimeoutSeconds: number;
    queue: number;
  };
  revision: string;
}

export interface FunctionRow extends NewFunction {
  createdAt: Instant;
  /** When it was last defined, be it the same. */
  updatedAt: Instant;
}
