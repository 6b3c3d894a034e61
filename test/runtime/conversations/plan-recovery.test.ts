import { describe, expect, it } from 'vitest';
import { planRecovery, type Trouble } from '../../../runtime/conversations/plan-recovery.ts';

const running = { state: 'running' } as const;
const exited = (oomKilled: boolean) => ({ state: 'exited', exit: { code: 137, oomKilled } }) as const;

describe('the table of recovery', () => {
  it.each<[string, Omit<Trouble, 'backend'>, string]>([
    ['a connection that broke', { failure: 'unreachable', agent: 'well', container: 'unknown' }, 'reconnect'],
    [
      'a container that exited',
      { failure: 'unreachable', agent: 'silent', container: exited(false) },
      'exited',
    ],
    [
      'one that ends, nobody knows how yet',
      { failure: 'unreachable', agent: 'silent', container: { state: 'exited' } },
      'exited',
    ],
    [
      'one out of memory',
      { failure: 'unreachable', agent: 'silent', container: exited(true) },
      'out-of-memory',
    ],
    ['one that is gone', { failure: 'unreachable', agent: 'silent', container: 'absent' }, 'gone'],
    ['an agent that hangs', { failure: 'unreachable', agent: 'silent', container: running }, 'hung'],
    [
      'one behind an engine that is away',
      { failure: 'unreachable', agent: 'silent', container: 'unknown' },
      'hung',
    ],
    ["another's agent", { failure: 'unreachable', agent: 'foreign', container: running }, 'impostor'],
    ['an answer that is none', { failure: 'misbehaved', agent: 'foreign', container: running }, 'misbehaved'],
    [
      'nonsense from one that then died',
      { failure: 'misbehaved', agent: 'foreign', container: exited(true) },
      'out-of-memory',
    ],
    ['an execution out of time', { failure: 'late', agent: 'well', container: running }, 'out-of-time'],
    [
      'one out of time in a dead container',
      { failure: 'late', agent: 'silent', container: exited(false) },
      'exited',
    ],
  ])('%s', (_, trouble, expected) => {
    for (const backend of ['docker', 'ecs', 'process'] as const) {
      const step = planRecovery({ backend, ...trouble });
      expect(step.kind === 'reconnect' ? step.kind : step.reason).toBe(expected);
    }
  });
});
