import { describe, expect, it } from 'vitest';
import { BerthError, type WorkspaceEvent } from '../../../runtime/client/index.ts';
import { workspaceEvents } from '../../../runtime/http/routes/workspace-schemas.ts';
import { describeWith } from '../../support/services/provided.ts';
import { settingOfFile } from './client-setting.ts';

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

describeWith('bubblewrap', 'services that last', () => {
  const setting = settingOfFile({ BERTH_ALLOW_UNISOLATED: '0' });

  describe('a function', () => {
    const env = {
      HANDLER_SOURCE:
        'export default (request) => { if (request === 3) throw new Error("no"); return { got: request }; }',
    };

    it('is defined, listed, called with anything, and deleted', async () => {
      const { functions } = setting().client();
      expect(await functions.put('hello', { image: 'function-node', env })).toMatchObject({ name: 'hello' });
      expect(await functions.get('hello')).toMatchObject({ env_names: ['HANDLER_SOURCE'] });
      expect((await all(functions.list())).map(({ name }) => name)).toEqual(['hello']);
      const answer = await functions.invoke('hello', { name: 'Ada' });
      expect(await answer.json()).toEqual({ got: { name: 'Ada' } });
      expect(answer.headers.get('x-berth-cold-start')).toBe('true');
      const json = { headers: { 'content-type': 'application/json' } };
      for (const input of ['{"a":1}', new Blob(['{"a":1}']), new TextEncoder().encode('{"a":1}')])
        expect(await (await functions.invoke('hello', input, json)).json()).toEqual({ got: { a: 1 } });
      const stream = new Blob(['{"a":1}']).stream();
      expect(await (await functions.invoke('hello', stream, json)).json()).toEqual({ got: { a: 1 } });
      // What its worker answers is its answer; what the service answers in its place is an error.
      expect((await functions.invoke('hello', 3)).status).toBe(500);
      await functions.delete('hello');
      await expect(functions.invoke('hello', {})).rejects.toMatchObject({ code: 'FUNCTION_NOT_FOUND' });
    });
  });

  describe('a workspace', () => {
    const reach = async (
      events: AsyncIterable<WorkspaceEvent>,
      status: string,
      told: WorkspaceEvent[] = [],
    ) => {
      for await (const event of events) {
        const { type, ...data } = event;
        workspaceEvents[type].strict().parse(data);
        told.push(event);
        if (event.type === 'state_changed' && event.observed_status === status && event.operation === 'NONE')
          break;
      }
      return told;
    };

    it('is made, followed, changed, opened and deleted', async () => {
      const { workspaces } = setting().client();
      const { id } = await workspaces.create({ name: 'mine' });
      const told = await reach(workspaces.events(id), 'RUNNING');
      expect(told.length).toBeGreaterThan(1);
      expect((await all(workspaces.list())).map(({ name }) => name)).toEqual(['mine']);
      expect((await workspaces.session(id)).url).toContain(id);
      expect(await workspaces.update(id, { desired_state: 'STANDBY' })).toMatchObject({
        desired_state: 'STANDBY',
      });
      await reach(workspaces.events(id), 'STANDBY');
      expect(await workspaces.retry(id)).toMatchObject({ id, error: null });
      // To its end, over a line that breaks at every event, and without the same twice in a row.
      setting().relay.fate = ({ method }) => (method === 'GET' ? { events: 1, end: 'cut' } : 'pass');
      const following = all(workspaces.events(id));
      await workspaces.delete(id);
      const rest = await following;
      const states = rest.filter(({ type }) => type === 'state_changed');
      for (const [index, state] of states.entries()) expect(state).not.toEqual(states[index - 1]);
      expect(setting().relay.asked(`GET /v1/workspaces/${id}/events`).length).toBeGreaterThan(2);
      await expect(workspaces.get(id)).rejects.toBeInstanceOf(BerthError);
      await expect(all(workspaces.events(id))).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
    });
  });

  describe('an operator', () => {
    it('sees what runs, what it says and uses, sets the pool, and ends what he wants', async () => {
      const berth = setting().client();
      expect(await berth.health()).toMatchObject({ status: 'ok' });
      expect(await berth.ready()).toMatchObject({ status: 'ready', dependencies: expect.any(Array) });
      expect(await berth.warmPool.set({ min_size: 0, max_size: 1 })).toMatchObject({ max_size: 1 });
      expect(await berth.warmPool.get()).toMatchObject({ min_size: 0, max_size: 1 });
      await berth.conversation('operated').exec(['true']);
      const containers = await berth.containers.list();
      const own = containers.find(({ owner }) => JSON.stringify(owner).includes('operated'));
      expect(own).toMatchObject({ role: 'conversation', state: 'running' });
      const id = own?.container_id ?? '';
      expect(await berth.containers.logs(id, { tail: 5 })).toEqual(expect.any(String));
      expect(await berth.metrics.text()).toContain('workspace_active_containers');
      expect(await berth.metrics.pools()).toMatchObject({ pools: expect.any(Array) });
      expect(await berth.metrics.containers()).toMatchObject({ failures: [] });
      await berth.containers.delete(id);
      expect(await berth.sweep()).toMatchObject({ listed: expect.any(Number), held: 0 });
    });

    it('is told that a service is not ready, which is no error', async () => {
      const body = '{"status":"unready"}';
      setting().relay.fate = () => ({ status: 503, body });
      expect(await setting().client().ready()).toEqual({ status: 'unready' });
      expect(setting().relay.requests).toHaveLength(1);
    });
  });
});
