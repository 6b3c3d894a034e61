import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EgressStats } from '../../../../runtime/contracts/egress.ts';
import { until } from '../proxy/proxy-fixture.ts';
import { type Attack, type Expected, get } from './attack.ts';
import { isWhole, talk } from './talk.ts';
import { World } from './world.ts';

const TUNNEL = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Carries out every row, each on a connection of its own to one and the same proxy. */
export function runAttacks(theme: string, rows: readonly Attack[], { behindSidecar = false } = {}): void {
  describe(theme, () => {
    let world: World;
    beforeAll(async () => {
      world = await World.start({ behindSidecar });
      return () => world[Symbol.asyncDispose]();
    });
    beforeEach(() => {
      world.dns.asked.length = 0;
      for (const upstream of world.upstreams) upstream.take();
    });

    it.each(rows)('$name', async (attack) => {
      const { expect: expected } = attack;
      for (const [name, answers] of Object.entries(attack.dns ?? {})) {
        world.dns.set(name, ...answers.map((answer) => filled(world, answer)));
      }
      world.hostile = attack.answer ?? { bytes: '' };
      const before = world.gate.stats();
      const written = world.lines.length;
      const pieces = [attack.send].flat().map((piece) => world.fill(piece));
      const saw = () => world.upstreams.map(({ bytes }) => bytes).join('');
      const { received, closed } = await talk(world.socket, pieces, (text) =>
        isEnough(expected, text, saw()),
      );

      expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${expected.status} `));
      if (expected.answer !== undefined) expect(received).toContain(world.fill(expected.answer));
      if (expected.closes) {
        expect(closed).toBe(true);
        expect(received.match(/HTTP\/1\.1 [2-5]\d\d /g)).toHaveLength(1);
      }
      // A sidecar that only forwards refuses some of it itself, and counts nothing.
      if (!behindSidecar) await until(() => counted(before, world.gate.stats(), expected));
      expectSeen(world, expected, saw());
      if (expected.asked) expect(world.dns.asked.toSorted()).toEqual([...expected.asked].toSorted());
      // A few lines a second are written; of the rest the log tells how many there were.
      const reasons = world.lines.slice(written).flatMap(({ reason }) => reason ?? []);
      if (reasons.length > 0 && !behindSidecar) expect(reasons).toEqual([expected.refused]);
      expect(world.tells(received)).toBe(false);
      await expectUnharmed(world);
    });
  });
}

function filled<T>(world: World, value: T): T {
  // The cast: what only has texts replaced in it keeps its form.
  return JSON.parse(world.fill(JSON.stringify(value))) as T;
}

function isEnough(expected: Expected, received: string, saw: string): boolean {
  if (expected.closes) return false;
  if (received !== TUNNEL) return isWhole(received) && received.split('\r\n\r\n').length > 1;
  return expected.saw?.every((part) => saw.includes(part)) === true;
}

/** Whether just what was expected has been counted. */
function counted(before: EgressStats, after: EgressStats, { refused, passed }: Expected): boolean {
  const more = (kind: 'refused' | 'passed') =>
    Object.fromEntries(
      Object.entries(after[kind])
        .map(
          ([name, count]) => [name, count - (new Map(Object.entries(before[kind])).get(name) ?? 0)] as const,
        )
        .filter(([, count]) => count > 0),
    );
  const wanted = [refused ? { [refused]: 1 } : {}, passed ? { [passed]: 1 } : {}];
  return JSON.stringify([more('refused'), more('passed')]) === JSON.stringify(wanted);
}

function expectSeen(world: World, expected: Expected, saw: string): void {
  if (expected.refused && !expected.partial) expect(saw).toBe('');
  for (const part of expected.saw ?? []) expect(saw).toContain(world.fill(part));
  for (const part of expected.never ?? [])
    expect(saw.toLowerCase()).not.toContain(world.fill(part).toLowerCase());
}

/** No victim has had a connection, and who asks for what is allowed is served. */
async function expectUnharmed(world: World): Promise<void> {
  expect(world.victims.map(({ connections }) => connections)).toEqual(world.victims.map(() => 0));
  const { received } = await talk(world.socket, [world.fill(get('up.test'))], isWhole);
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*hello/s);
  await until(() => world.gate.requests === 0);
}
