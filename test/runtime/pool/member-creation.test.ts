import { describe, expect, it } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import { MemberCreation, type MemberOutcome } from '../../../runtime/pool/member-creation.ts';
import { must } from '../../support/must.ts';
import { MembersMade, QuickPace } from './members-made.ts';

const never = new AbortController().signal;
const broken = new BerthError('CONTAINER_CREATE_FAILED', 'the engine is out of sorts');

async function make(port: MembersMade, pace = new QuickPace(), signal = never): Promise<MemberOutcome> {
  const begun = await new MemberCreation(port, pace).begin(1, signal);
  if (begun.kind !== 'begun') throw new Error(begun.kind);
  return begun.ended;
}

/** Nothing of what was begun is left, but what is named. */
function expectLeft(
  port: MembersMade,
  left: { members: number; containers?: number; places?: number },
): void {
  const found = {
    members: port.members.length,
    containers: port.containers.size,
    places: port.places.size,
    renewed: port.renewed.size,
  };
  expect(found).toEqual({ containers: left.members, places: 0, ...left, renewed: 0 });
}

describe('a member', () => {
  it('is reserved, created and added', async () => {
    const port = new MembersMade();
    const outcome = await make(port);
    expect(outcome).toMatchObject({ kind: 'added', container: port.members[0] });
    expect(port.attempts).toBe(1);
    expectLeft(port, { members: 1 });
  });

  it('has its place before `begin` returns, and keeps it while it is made', async () => {
    const port = new MembersMade();
    const gate = Promise.withResolvers<void>();
    port.creating = () => gate.promise;
    const creation = new MemberCreation(port, new QuickPace());
    const begun = await creation.begin(1, never);
    expect([port.places.size, port.renewed.size]).toEqual([1, 1]);
    expect(await creation.begin(1, never)).toEqual({ kind: 'full' });
    gate.resolve();
    if (begun.kind === 'begun') await begun.ended;
    expectLeft(port, { members: 1 });
  });

  it('is tried three times, anew each time, with longer waits', async () => {
    const port = new MembersMade();
    const pace = new QuickPace();
    port.failures = [broken, broken];
    expect(await make(port, pace)).toMatchObject({ kind: 'added' });
    expect([port.attempts, pace.slept]).toEqual([3, [2000, 4000]]);
    expectLeft(port, { members: 1 });
  });

  it.each([
    [0, [1600, 3200]],
    [1, [2400, 4800]],
  ])('waits with jitter (%d)', async (chance, slept) => {
    const port = new MembersMade();
    const pace = new QuickPace(chance);
    port.failures = [broken, broken];
    await make(port, pace);
    expect(pace.slept.map(Math.round)).toEqual(slept);
  });

  it('is given up after the third, with nothing left of it', async () => {
    const port = new MembersMade();
    port.failures = [broken, broken, broken, undefined];
    expect(await make(port)).toMatchObject({ kind: 'failed', error: broken });
    expect(port.attempts).toBe(3);
    expectLeft(port, { members: 0 });
  });

  it('is not tried again where that can not help', async () => {
    const port = new MembersMade();
    const pace = new QuickPace();
    port.failures = [new BerthError('IMAGE_PULL_FAILED', 'no such image')];
    expect(await make(port, pace)).toMatchObject({ kind: 'failed', error: { code: 'IMAGE_PULL_FAILED' } });
    expect([port.attempts, pace.slept]).toEqual([1, []]);
    expectLeft(port, { members: 0 });
  });

  it('is not tried again where what is left of it could not be cleared away', async () => {
    const port = new MembersMade();
    port.failures = [broken];
    port.destroyFails = new Error('the engine is away');
    expect(await make(port)).toMatchObject({ kind: 'failed', error: broken, notCleared: port.destroyFails });
    expect(port.attempts).toBe(1);
    expectLeft(port, { members: 0, containers: 1, places: 1 });
  });

  it('whose place is taken while it waits to be tried again is left to whoever took it', async () => {
    const port = new MembersMade();
    port.failures = [broken];
    const destroy = port.destroy.bind(port);
    port.destroy = async (container) => {
      await destroy(container);
      await port.reserve(port.newId(), 1);
    };
    expect(await make(port)).toMatchObject({ kind: 'failed', error: broken });
    expect(port.attempts).toBe(1);
    expectLeft(port, { members: 0, places: 1 });
  });
});

describe('a lost place', () => {
  it('ends the creation, which begins anew', async () => {
    const port = new MembersMade();
    const begun = Promise.withResolvers<void>();
    port.creating = (signal) => {
      if (port.attempts > 1) return Promise.resolve();
      begun.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const outcome = make(port);
    await begun.promise;
    port.loseLease();
    expect(await outcome).toMatchObject({ kind: 'added' });
    expect(port.attempts).toBe(2);
    expectLeft(port, { members: 1 });
  });

  it('noticed last, ends what was made', async () => {
    const port = new MembersMade();
    port.creating = async () => port.places.clear();
    const outcome = await make(port);
    expect(outcome).toMatchObject({ kind: 'failed', error: { name: 'PlaceLost' } });
    expectLeft(port, { members: 0 });
  });

  it('is heeded also where the creation did not', async () => {
    const port = new MembersMade();
    port.creating = async () => {
      if (port.attempts === 1) port.loseLease();
    };
    expect(await make(port)).toMatchObject({ kind: 'added' });
    expect(port.attempts).toBe(2);
    expectLeft(port, { members: 1 });
  });
});

describe('a container that the store may have taken in', () => {
  it('is not ended: it may be someone’s by now', async () => {
    const port = new MembersMade();
    port.addFails = new BerthError('STORE_UNAVAILABLE', 'away');
    const outcome = await make(port);
    expect(outcome).toMatchObject({ kind: 'unsure', error: port.addFails });
    expect(port.containers).toContain(must(outcome.container));
    expect(port.attempts).toBe(1);
  });
});

describe('a creation that is given up', () => {
  it('leaves nothing, and is not tried again', async () => {
    const port = new MembersMade();
    const stop = new AbortController();
    port.creating = async (signal) => {
      stop.abort();
      signal.throwIfAborted();
    };
    expect(await make(port, new QuickPace(), stop.signal)).toMatchObject({ kind: 'given-up' });
    expect(port.attempts).toBe(1);
    expectLeft(port, { members: 0 });
  });

  it('leaves nothing also where the engine went on with it', async () => {
    const port = new MembersMade();
    const stop = new AbortController();
    port.creating = async () => stop.abort();
    expect(await make(port, new QuickPace(), stop.signal)).toMatchObject({ kind: 'given-up' });
    expectLeft(port, { members: 0 });
  });

  it('while it waits to be tried again, leaves nothing', async () => {
    const port = new MembersMade();
    const stop = new AbortController();
    const pace = new QuickPace();
    pace.sleep = async (_ms, signal) => {
      stop.abort();
      signal.throwIfAborted();
    };
    port.failures = [broken];
    expect(await make(port, pace, stop.signal)).toMatchObject({ kind: 'given-up' });
    expect(port.attempts).toBe(1);
    expectLeft(port, { members: 0 });
  });
});

describe('a container that was begun for someone else', () => {
  const container = must(new MembersMade().newId());
  const begun = (port: MembersMade, made: (signal: AbortSignal) => Promise<void>) => {
    port.places.add(container);
    port.containers.add(container);
    return { container, since: performance.now() - 5000, made };
  };

  it('is proved and added, and counts from its beginning', async () => {
    const port = new MembersMade();
    const creation = new MemberCreation(port, new QuickPace());
    const outcome = await creation.takeOver(
      begun(port, async () => {}),
      never,
    );
    expect(outcome).toMatchObject({ kind: 'added', container });
    expect(outcome.kind === 'added' && outcome.seconds).toBeGreaterThanOrEqual(5);
    expect([port.attempts, port.proved]).toEqual([0, 1]);
    expectLeft(port, { members: 1 });
  });

  it('is cleared away when it fails, and not made anew', async () => {
    const port = new MembersMade();
    const creation = new MemberCreation(port, new QuickPace());
    const outcome = await creation.takeOver(
      begun(port, () => Promise.reject(broken)),
      never,
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: broken });
    expect(port.attempts).toBe(0);
    expectLeft(port, { members: 0 });
  });

  it('is given up with the pool', async () => {
    const port = new MembersMade();
    const closing = new AbortController();
    const made = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const outcome = new MemberCreation(port, new QuickPace()).takeOver(begun(port, made), closing.signal);
    closing.abort();
    expect(await outcome).toMatchObject({ kind: 'given-up', container });
    expectLeft(port, { members: 0 });
  });
});
