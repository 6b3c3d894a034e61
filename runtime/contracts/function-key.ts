import type { FunctionName, TenantId } from './ids.ts';

/** Which function: a name means something within its tenant only. */
export interface FunctionKey {
  tenant: TenantId;
  name: FunctionName;
}

/** The key as one text: no tenant's name has a colon. */
export function nameOf({ tenant, name }: FunctionKey): string {
  return `${tenant}:${name}`;
}
