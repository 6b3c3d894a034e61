import type { Logger } from 'pino';
import type { ApiKey } from '../access/api-key.ts';

/**
 * Carries out what an operator's key changes, and leaves a line in the log of who did what, and when: also where it
 * failed, for it may have been carried out in part, and at every level but `silent`.
 */
export async function audited<Result>(
  log: Logger,
  call: { key: ApiKey; response: { getHeader(name: string): unknown } },
  action: string,
  details: Record<string, unknown>,
  act: () => Promise<Result>,
): Promise<Result> {
  const line = {
    audit: action,
    key: call.key.name,
    tenant: call.key.tenant,
    request_id: call.response.getHeader('X-Request-Id'),
    ...details,
  };
  const always = log.level === 'silent' ? log : log.child({}, { level: 'info' });
  try {
    const result = await act();
    always.info({ ...line, outcome: 'done' }, 'audit');
    return result;
  } catch (error) {
    always.info({ ...line, outcome: 'failed', err: error }, 'audit');
    throw error;
  }
}
