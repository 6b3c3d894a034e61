import { describe, expect, it, vi } from 'vitest';
import { type Harness, OURS } from './harness.ts';

/** How containers pause and end. */
export function endingContract(harness: Harness): void {
  it('pauses all that runs and resumes it, and destroys what is paused; or says that it cannot', async () => {
    const { backend } = harness;
    if (!backend.capabilities.pause) {
      const { id } = await harness.created();
      await expect(backend.pause(id)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
      await expect(backend.resume(id)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
      return;
    }
    const given = await harness.created();
    const agent = harness.agent(given);
    await agent.bash('(setsid sh -c "while :; do date +%s%3N >> ticks; sleep 0.01; done" >/dev/null 2>&1 &)');
    await backend.pause(given.id);
    await backend.pause(given.id);
    const paused = Date.now();
    expect((await backend.inspect(given.id))?.state).toBe('paused');
    await expect(agent.proves(300)).rejects.toThrow();
    const resumed = Date.now();
    await backend.resume(given.id);
    await backend.resume(given.id);
    expect((await backend.inspect(given.id))?.state).toBe('running');
    expect(await agent.proves()).toBe(true);
    const ticks = (await agent.bash('cat ticks')).split('\n').map(Number);
    expect(ticks.filter((tick) => tick > paused && tick < resumed)).toEqual([]);
    await backend.pause(given.id);
    await backend.destroy(given.id);
    await harness.expectNothingOf(given.id);
  });

  it('tells how a container ended, and what it said', async () => {
    const { backend } = harness;
    // Long enough to be there at all, on a busy machine too.
    const idle = backend.capabilities.endsSlowly ? '4' : '1';
    const given = await harness.created({ env: { AGENT_IDLE_EXIT_SECONDS: idle } });
    const ended = async () => expect((await backend.inspect(given.id))?.exit).toBeDefined();
    await vi.waitFor(ended, { timeout: 10_000 });
    expect(await backend.inspect(given.id)).toMatchObject({
      state: 'exited',
      exit: { code: 0, oomKilled: false },
    });
    const listed = (await backend.list('conversation')).find(({ id }) => id === given.id);
    expect(listed?.state).toBe(backend.capabilities.endsSlowly ? undefined : 'exited');
    expect(await backend.logs(given.id, { tail: 10 })).toMatch(/exits by itself/);
    if (backend.capabilities.pause)
      await expect(backend.pause(given.id)).rejects.toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
  });

  describe('destroy', () => {
    it('leaves nothing, and may be repeated, also at the same time and by another instance', async () => {
      const { backend } = harness;
      const given = await harness.created();
      const second = harness.under.open({ installation: OURS });
      await Promise.all([backend, backend, second].map((each) => each.destroy(given.id)));
      await harness.expectNothingOf(given.id);
      await backend.destroy(given.id);
      await second.close();
    });

    it('waits for an agent that leaves, no longer than that takes', async () => {
      const given = await harness.created();
      const before = performance.now();
      await harness.backend.destroy(given.id, { stopSeconds: 20 });
      expect(performance.now() - before).toBeLessThan(10_000);
      await harness.expectNothingOf(given.id);
    });

    it('takes what user code left behind, also what it made unreadable or sent to the background', async () => {
      const given = await harness.created();
      await harness
        .agent(given)
        .bash(
          'mkdir -p a/b && touch a/b/c && chmod 000 a/b a && (setsid sleep 1000 >/dev/null 2>&1 &) && ln -s / root',
        );
      await harness.backend.destroy(given.id);
      await harness.expectNothingOf(given.id);
    });

    it('ends a creation that is under way', async () => {
      const given = harness.spec();
      const creation = expect(harness.backend.create(given)).rejects.toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
      });
      await harness.untilBegun(given.id);
      await harness.backend.destroy(given.id);
      await creation;
      await harness.expectNothingOf(given.id);
    });
  });
}
