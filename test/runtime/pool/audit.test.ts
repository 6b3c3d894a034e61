import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { parseTenantId } from '../../../runtime/contracts/ids.ts';
import { audited } from '../../../runtime/http/audit.ts';
import { must } from '../../support/must.ts';

const call = {
  key: { name: 'ops-1', tenant: must(parseTenantId('ops')), scope: 'admin' as const, sha256: '' },
  response: { getHeader: (name: string) => (name === 'X-Request-Id' ? 'r-1' : undefined) },
};

function logTo(lines: Record<string, unknown>[], level: string) {
  return pino({ level }, new Writable({ write: (line, _, next) => next(void lines.push(JSON.parse(line))) }));
}

describe('an audited act', () => {
  it('leaves a line when it is done, and gives its result', async () => {
    const lines: Record<string, unknown>[] = [];
    const act = async () => 42;
    expect(await audited(logTo(lines, 'fatal'), call, 'answer', { asked: 'all' }, act)).toBe(42);
    const line = { audit: 'answer', key: 'ops-1', tenant: 'ops', request_id: 'r-1', asked: 'all' };
    expect(lines).toEqual([expect.objectContaining({ ...line, outcome: 'done' })]);
    expect(JSON.stringify(lines)).not.toContain('sha256');
  });

  it('leaves one also when it failed, and fails', async () => {
    const lines: Record<string, unknown>[] = [];
    const act = () => Promise.reject(new Error('half way'));
    await expect(audited(logTo(lines, 'info'), call, 'answer', {}, act)).rejects.toThrow('half way');
    expect(lines).toEqual([expect.objectContaining({ outcome: 'failed', key: 'ops-1' })]);
  });

  it('leaves none in a log that is silent', async () => {
    const lines: Record<string, unknown>[] = [];
    await audited(logTo(lines, 'silent'), call, 'answer', {}, async () => undefined);
    expect(lines).toEqual([]);
  });
});
