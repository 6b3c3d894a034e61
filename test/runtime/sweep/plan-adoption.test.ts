import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerView } from '../../../runtime/containers/container-backend.ts';
import { executionId } from '../../../runtime/contracts/ids.ts';
import { adoptRequest, planAdoption } from '../../../runtime/sweep/plan-adoption.ts';
import type { Doubt, Testimony } from '../../../runtime/sweep/testimony.ts';
import { container, conversation, tenant } from '../../contract/state/names.ts';

const view = (n: number, createdAt = 500): ContainerView => ({
  id: container(n),
  role: 'conversation',
  engineId: String(n),
  state: 'running',
  createdAt,
  labels: {},
});
const ticket = (n: number, of: string, claimedAt: number, owner = 'acme'): Testimony => ({
  kind: 'ticket',
  ticket: {
    container_id: container(n),
    tenant_id: tenant(owner),
    conversation_id: conversation(of),
    claimed_at: claimedAt,
    restored_version: 'v1',
  },
  executions: [],
});
const without = (why: Doubt): Testimony => ({ kind: 'none', why });
const ids = (plan: ReturnType<typeof planAdoption>) => plan.adopt.map((claim) => claim.container.id);

describe('planAdoption', () => {
  it('gives each conversation the container that carries its ticket', () => {
    const plan = planAdoption([
      { container: view(1), testimony: ticket(1, 'a', 1000) },
      { container: view(2), testimony: ticket(2, 'b', 1000) },
      { container: view(3), testimony: ticket(3, 'a', 1000, 'other') },
    ]);
    expect(ids(plan)).toEqual([container(1), container(2), container(3)]);
    expect(plan.leave).toEqual([]);
  });

  it.each([
    [1000, 2000, 2],
    [2000, 1000, 1],
    [1000, 1000, 2],
  ])(
    'of two tickets for one conversation, claimed at %i and %i, adopts container %i',
    (one, other, winner) => {
      const seen = [
        { container: view(1), testimony: ticket(1, 'a', one) },
        { container: view(2), testimony: ticket(2, 'a', other) },
      ];
      for (const order of [seen, seen.toReversed()]) {
        const plan = planAdoption(order);
        expect(ids(plan)).toEqual([container(winner)]);
        expect(plan.leave).toEqual([{ container: container(3 - winner), reason: 'superseded' }]);
      }
    },
  );

  it.each<Doubt>([
    'not-running',
    'silent',
    'unproven',
    'other-protocol',
    'no-ticket',
    'forged-ticket',
    'foreign-ticket',
  ])('leaves one that is %s, and says why', (why) => {
    expect(planAdoption([{ container: view(1), testimony: without(why) }])).toEqual({
      adopt: [],
      leave: [{ container: container(1), reason: why }],
    });
  });

  it('adopts one container a conversation, the latest, and leaves every other once, in whatever order they come', () => {
    const testimony = (n: number) =>
      fc.oneof(
        fc.constantFrom<Doubt>('silent', 'no-ticket', 'forged-ticket').map(without),
        fc
          .record({
            of: fc.constantFrom('a', 'b', 'c'),
            owner: fc.constantFrom('acme', 'other'),
            at: fc.nat(5),
          })
          .map(({ of, owner, at }) => ticket(n, of, at, owner)),
      );
    const seen = fc
      .nat(12)
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, n) => testimony(n))))
      .map((all) => all.map((each, n) => ({ container: view(n), testimony: each })));
    fc.assert(
      fc.property(seen, fc.infiniteStream(fc.nat()), (all, order) => {
        const plan = planAdoption(all);
        const adopted = new Set(ids(plan));
        const left = plan.leave.map((each) => each.container);
        expect([...adopted, ...left].toSorted()).toEqual(all.map((each) => each.container.id).toSorted());
        const winners = new Map<string, number>();
        for (const { ticket } of plan.adopt) {
          const key = `${ticket.tenant_id}:${ticket.conversation_id}`;
          expect(winners.has(key)).toBe(false);
          winners.set(key, ticket.claimed_at);
        }
        for (const { testimony } of all) {
          if (testimony.kind === 'none') continue;
          const { tenant_id, conversation_id, claimed_at } = testimony.ticket;
          expect(winners.get(`${tenant_id}:${conversation_id}`)).toBeGreaterThanOrEqual(claimed_at);
        }
        const shuffled = all
          .map((each) => ({ each, at: order.next().value ?? 0 }))
          .toSorted((one, other) => one.at - other.at);
        expect(new Set(ids(planAdoption(shuffled.map(({ each }) => each))))).toEqual(adopted);
      }),
    );
  });
});

describe('adoptRequest', () => {
  const settings = { backend: 'docker', ttl: { idleSeconds: 1, maxLifetimeSeconds: 2 }, executionTimeout: 3 };
  const request = (createdAt: number, claimedAt: number) => {
    const testimony = ticket(1, 'a', claimedAt);
    if (testimony.kind === 'none') throw new Error('it has a ticket');
    const claim = { container: view(1, createdAt), ...testimony, executions: [executionId('0'.repeat(24))] };
    return adoptRequest(claim, settings);
  };

  it('takes everything from the ticket, the list and the settings', () => {
    expect(request(500, 1000)).toEqual({
      tenant: 'acme',
      conversation: 'a',
      container: container(1),
      manager: 'docker',
      createdAt: 500,
      claimedAt: 1000,
      savedVersion: 'v1',
      executions: ['ex-000000000000000000000000'],
      executionSeconds: 3,
      ttl: settings.ttl,
    });
  });

  it('adds nothing to a life because the engine’s clock is ahead', () => {
    expect(request(5000, 1000).createdAt).toBe(1000);
  });
});
