import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../../../runtime/containers/container-backend.ts';
import { LABEL } from '../../../runtime/contracts/labels.ts';
import { type Harness, OTHERS, OURS } from './harness.ts';
import { agentOf, containerSpec } from './specs.ts';

/** What is seen of containers. */
export function lookingContract(harness: Harness): void {
  describe('a created container', () => {
    let given: ContainerSpec;
    let before: number;

    beforeAll(async () => {
      before = Date.now();
      given = containerSpec(harness.under.image, {
        env: { AGENT_VERSION: '7.7.7' },
        labels: { [LABEL.conversationId]: 'c1', [LABEL.installation]: 'forged' },
      });
      await Promise.all([harness.backend.create(given), harness.backend.create(given)]);
    });

    afterAll(() => harness.backend.destroy(given.id));

    it('can be dialled, and its agent proves itself', async () => {
      expect(await harness.agent(given).proves()).toBe(true);
    });

    it('got its environment', async () => {
      expect((await harness.agent(given).health()).version).toBe('7.7.7');
    });

    it('is shown by inspect and list, with its labels', async () => {
      const { backend } = harness;
      const view = await backend.inspect(given.id);
      expect(view).toMatchObject({ id: given.id, role: 'conversation', state: 'running' });
      expect(view?.labels).toMatchObject({
        [LABEL.installation]: OURS,
        [LABEL.role]: 'conversation',
        [LABEL.version]: '1.2.3',
        [LABEL.workspace]: 'true',
        [LABEL.containerId]: given.id,
        [LABEL.conversationId]: 'c1',
      });
      expect(view?.createdAt).toBeGreaterThanOrEqual(before);
      expect(view?.createdAt).toBeLessThanOrEqual(Date.now());
      expect(await backend.list('conversation')).toContainEqual(view);
      expect((await backend.list('function')).map(({ id }) => id)).not.toContain(given.id);
    });

    it('stays the same one when it is created again', async () => {
      const first = await harness.backend.inspect(given.id);
      await harness.backend.create(given);
      expect((await harness.backend.inspect(given.id))?.engineId).toBe(first?.engineId);
    });

    it('is found by the next start of the runtime', async () => {
      const next = harness.under.open({ installation: OURS });
      expect((await next.list('conversation')).map(({ id }) => id)).toContain(given.id);
      await next.create(given);
      expect(await next.inspect(given.id)).toEqual(await harness.backend.inspect(given.id));
      expect(await agentOf(next, given).proves()).toBe(true);
      await next.close();
    });

    it('tells what it uses, or that it cannot', async () => {
      if (!harness.backend.capabilities.stats) {
        const asked = harness.backend.stats(given.id);
        await expect(asked).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
        return;
      }
      const stats = await harness.backend.stats(given.id);
      expect(stats.memoryBytes).toBeGreaterThan(1_000_000);
      expect(stats.memoryBytes).toBeLessThan(stats.memoryLimitBytes);
      expect(stats.cpuNanoseconds).toBeGreaterThan(0);
      expect(stats.pids).toBeGreaterThan(0);
    });
  });

  it("never touches another installation's container, nor takes its name", async () => {
    const { backend } = harness;
    const others = harness.under.open({ installation: OTHERS });
    const theirs = harness.spec({}, others);
    await others.create(theirs);
    await harness.expectNotSeen(theirs.id);
    await backend.destroy(theirs.id);
    await expect(backend.create(theirs)).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining(OTHERS),
    });
    await harness.expectNotFound(theirs.id);
    expect((await others.inspect(theirs.id))?.state).toBe('running');
    expect(await agentOf(others, theirs).proves()).toBe(true);
  });

  it('knows nothing of a container that is not there', async () => {
    const { id } = harness.spec();
    await harness.expectNothingOf(id);
    await harness.expectNotFound(id);
    await harness.backend.destroy(id);
  });

  it('answers a ping', async () => {
    await harness.backend.ping();
  });
}
