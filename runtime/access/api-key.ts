import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseTenantId, type TenantId } from '../contracts/ids.ts';

export interface ApiKey {
  name: string;
  tenant: TenantId;
  /** SHA-256 of the key as hex: the key itself is stored nowhere. */
  sha256: string;
  scope: 'use' | 'admin';
  /** Counted over the key's tenant; none = no limit. */
  limits?:
    | { conversations?: number | undefined; executions?: number | undefined; workspaces?: number | undefined }
    | undefined;
}

const limit = z.int().nonnegative().optional();

const schema = z.array(
  z.strictObject({
    name: z.string().min(1).max(100),
    tenant: z.string().transform((text, context): TenantId => {
      const tenant = parseTenantId(text);
      if (tenant !== undefined) return tenant;
      context.addIssue({ code: 'custom', message: 'wants up to 40 of a-z, 0-9 and -, not beginning with -' });
      return z.NEVER;
    }),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'wants 64 hex digits'),
    scope: z.enum(['use', 'admin']),
    limits: z.strictObject({ conversations: limit, executions: limit, workspaces: limit }).optional(),
  }),
);

/** Throws with every problem, each with its place. */
export function parseApiKeys(json: string): ApiKey[] {
  const parsed = schema.safeParse(parseJson(json));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`,
  );
  throw new Error(problems.join('; '));
}

/** Node's own message would quote the text, in which someone may have put a key. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
}

export function generateApiKey(): string {
  return `berth_${randomBytes(24).toString('base64url')}`;
}

export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

/** Looks at every key, so that the time taken tells nothing. */
export function findApiKey(keys: readonly ApiKey[], presented: string): ApiKey | undefined {
  const digest = hash('sha256', presented, 'buffer');
  let found: ApiKey | undefined;
  for (const key of keys) {
    if (timingSafeEqual(Buffer.from(key.sha256, 'hex'), digest)) found = key;
  }
  return found;
}
