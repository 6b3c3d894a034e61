import type { VariableName } from './environment.ts';

/** The variables whose rows say `secret`, for types to know: they come from a secret store and from nowhere else. */
export const SECRET_VARIABLES = [
  'BERTH_API_KEYS',
  'BERTH_SECRET',
  'REDIS_URL',
  'DATABASE_URL',
  'EGRESS_PROXY_ADMIN_KEY',
  'ANTHROPIC_API_KEY',
] as const satisfies readonly VariableName[];

export type SecretVariable = (typeof SECRET_VARIABLES)[number];
