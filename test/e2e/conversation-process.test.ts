import { describe, expect, it } from 'vitest';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { conversationsWork } from './conversation.e2e.ts';
import { terminalsAndTime } from './terminals.e2e.ts';

describeWith('bubblewrap', 'conversations in child processes under bwrap', () => {
  const env = () => ({ CONTAINER_MANAGER_TYPE: 'process' });
  conversationsWork(env);
  describe('terminals', () => terminalsAndTime(env));
});

describe('conversations in plain child processes', () => {
  // Only the runtime's own search path has no bwrap.
  const env = () => ({ CONTAINER_MANAGER_TYPE: 'process', BERTH_ALLOW_UNISOLATED: '1', PATH: '/nowhere' });
  conversationsWork(env);

  it('say loudly that they isolate nothing', async () => {
    await using runtime = await RuntimeProcess.start({ env: env() });
    expect(runtime.output).toContain('isolates NOTHING');
  });

  it('are refused unless that is asked for', async () => {
    const { code, output } = await RuntimeProcess.failing({ env: { ...env(), BERTH_ALLOW_UNISOLATED: '0' } });
    expect(code).toBe(2);
    expect(output).toMatch(
      /^berth: The process backend finds no bwrap.*install bubblewrap, or set BERTH_ALLOW_UNISOLATED=1/,
    );
  });
});
