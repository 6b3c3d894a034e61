import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import { HealthWatch } from '../../../runtime/conversations/health-watch.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { conversation, tenant, work } from '../../contract/state/names.ts';
import { must } from '../../support/must.ts';
import { Fleet, SETTINGS } from '../sweep/fleet.ts';
import type { FleetPlace } from '../sweep/fleet-place.ts';

/** A watch, and what it has told so far: `conversation or container: why`. */
export function watch(fleet: Fleet, options: { instance?: string; fails?: (told: string) => boolean } = {}) {
  const told: string[] = [];
  const counted: string[] = [];
  const tell = async (what: string) => {
    told.push(what);
    if (options.fails?.(what)) throw new Error('it can not be seen to');
  };
  const health = new HealthWatch({
    state: fleet.state,
    backend: fleet.backend,
    inquiry: fleet.inquiry,
    secret: fleet.secret,
    instance: options.instance ?? 'one',
    log: pino({ level: 'silent' }),
    onUnhealthy: (record, why) => tell(`${record.conversation}: ${why}`),
    onUnhealthyMember: (container, why) => tell(`${container}: ${why}`),
    onCount: (why) => counted.push(why),
  });
  return { health, told, counted };
}

export async function live(fleet: Fleet, name: string): Promise<ContainerId> {
  const id = await fleet.of(name);
  await fleet.record(name, id);
  return id;
}

/** Who is called unhealthy and why, wherever containers run. */
export function healthWatchBehaviour(place: () => FleetPlace): void {
  async function warm(fleet: Fleet, id: ContainerId): Promise<void> {
    const member = { container: id, owner: 'one', leaseSeconds: 30, image: 'i', manager: 'any' };
    await fleet.state.warmPool.reserve({ ...member, most: 5, maxContainers: 10 });
    expect(await fleet.state.warmPool.add(member)).toBe('done');
  }

  it('calls a silent container unhealthy after three rounds, not before, and forgets what was before an answer', async () => {
    await using fleet = new Fleet({ state: openMemoryState(), home: place() });
    const [silent] = await Promise.all([live(fleet, 'silent'), live(fleet, 'well')]);
    const { health, told, counted } = watch(fleet);
    const restore = await place().silence(silent);
    await health.runOnce();
    await health.runOnce();
    expect(told).toEqual([]);
    await restore();
    await expect.poll(() => fleet.inquiry.health(silent)).toMatchObject({ status: 'ok' });
    await health.runOnce();
    await place().silence(silent);
    await health.runOnce();
    await health.runOnce();
    expect(told).toEqual([]);
    await health.runOnce();
    expect(told).toEqual(['silent: unanswered']);
    expect(counted).toEqual(['unanswered']);
    // Nobody acted on it: it is told again.
    await health.runOnce();
    expect(told).toEqual(['silent: unanswered', 'silent: unanswered']);
    await health.close();
  });

  it('takes the backend’s word at once: a container that exited, one that is not there', async () => {
    await using fleet = new Fleet({ state: openMemoryState(), home: place() });
    const [died, gone, member] = await Promise.all([
      live(fleet, 'died'),
      live(fleet, 'gone'),
      fleet.container(),
    ]);
    await warm(fleet, member);
    const { health, told } = watch(fleet);
    await health.runOnce();
    expect(told).toEqual([]);
    await Promise.all([place().kill(died), fleet.backend.destroy(gone), fleet.backend.destroy(member)]);
    await health.runOnce();
    expect(told.toSorted()).toEqual(['died: exited', 'gone: absent', `${member}: absent`].toSorted());
    await health.close();
  });

  it('forgives no wrong proof and no ticket of another', async () => {
    await using fleet = new Fleet({ state: openMemoryState(), home: place() });
    const honest = await live(fleet, 'honest');
    const wrong = {
      impostor: fleet.container({ token: 'ab'.repeat(32), ticket: {} }),
      other: fleet.of('another'),
      copied: fleet.container({ ticket: fleet.ticket(honest) }),
      blank: fleet.container(),
    };
    await Promise.all(Object.entries(wrong).map(async ([name, made]) => fleet.record(name, await made)));
    const { health, told } = watch(fleet);
    await health.runOnce();
    expect(told.toSorted()).toEqual([
      'blank: foreign-ticket',
      'copied: foreign-ticket',
      'impostor: impostor',
      'other: foreign-ticket',
    ]);
    await health.close();
  });

  it('wants no ticket of a warm one, but takes one of its own for a claim that it has not read yet', async () => {
    await using fleet = new Fleet({ state: openMemoryState(), home: place() });
    const [blank, claimed, copied] = await Promise.all([
      fleet.container(),
      fleet.of('a'),
      fleet.container({ ticket: 'made-up' }),
    ]);
    for (const id of [blank, claimed, copied]) await warm(fleet, id);
    const { health, told } = watch(fleet);
    await health.runOnce();
    expect(told).toEqual([`${copied}: foreign-ticket`]);
    await health.close();
  });

  it('leaves those alone that are being prepared or drained', async () => {
    await using fleet = new Fleet({ state: openMemoryState(), home: place() });
    const drained = await live(fleet, 'draining');
    await fleet.state.conversations.beginDrain({
      ...must(await fleet.recordOf('draining')),
      onlyIdle: false,
      reason: 'deleted',
      leaseSeconds: 30,
    });
    await fleet.backend.destroy(drained);
    await fleet.state.conversations.acquire({
      tenant: tenant('acme'),
      conversation: conversation('preparing'),
      newContainer: fleet.newId(),
      manager: 'any',
      owner: 'test',
      leaseSeconds: 30,
      maxContainers: 10,
      work: { id: work(1), leaseSeconds: 30, ttl: SETTINGS.ttl },
    });
    const { health, told } = watch(fleet);
    await health.runOnce();
    expect(told).toEqual([]);
    await health.close();
  });

  it('makes no round while the backend can not be asked: nobody is judged, and nothing is forgotten', async () => {
    await using home = await place().cuttable();
    await using fleet = new Fleet({ state: openMemoryState(), home });
    const silent = await live(fleet, 'silent');
    const { health, told } = watch(fleet);
    const restore = await home.silence(silent);
    await health.runOnce();
    await health.runOnce();
    home.cut();
    for (const _ of [1, 2, 3]) {
      await expect(health.runOnce()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    }
    expect(told).toEqual([]);
    home.restore();
    await health.runOnce();
    expect(told).toEqual(['silent: unanswered']);
    await restore();
    await health.close();
  });

  it('one that can not be seen to keeps no other from it', async () => {
    await using fleet = new Fleet({ state: openMemoryState(), home: place() });
    for (const name of ['a', 'b', 'c']) await fleet.record(name, fleet.newId());
    const { health, told } = watch(fleet, { fails: (what) => what.startsWith('a') });
    await health.runOnce();
    expect(told.toSorted()).toEqual(['a: absent', 'b: absent', 'c: absent']);
    await health.close();
  });

  it('is kept by one instance, and by another when that one goes', async () => {
    await using fleet = new Fleet({ state: openMemoryState(), home: place() });
    await fleet.record('a', fleet.newId());
    const [one, two] = [watch(fleet), watch(fleet, { instance: 'two' })];
    await one.health.runOnce();
    await two.health.runOnce();
    expect([one.told, two.told]).toEqual([['a: absent'], []]);
    await one.health.close();
    await two.health.runOnce();
    expect(two.told).toEqual(['a: absent']);
    await two.health.close();
  });
}
