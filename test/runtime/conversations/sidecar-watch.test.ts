import { createServer } from 'node:http';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ContainerId, parseWorkspaceId, workspaceContainerId } from '../../../runtime/contracts/ids.ts';
import { SidecarWatch } from '../../../runtime/conversations/sidecar-watch.ts';
import { EgressTotals } from '../../../runtime/egress-host/egress-totals.ts';
import type { SidecarEgress } from '../../../runtime/egress-host/sidecar-egress.ts';
import type { Incarnation } from '../../../runtime/state/conversation-store.ts';
import { container } from '../../contract/state/names.ts';
import { Scenario } from '../../contract/state/scenario.ts';
import { must } from '../../support/must.ts';
import { egressState, signingRule } from '../egress/routes/egress-state.ts';
import { OPERATOR, type Sidecar, Sidecars } from '../egress-host/sidecars.ts';

const log = pino({ level: 'silent' });

let sidecars: Sidecars;
let scenario: Scenario;
let watches: SidecarWatch[];
/** Those that run, of others than conversations. */
let workspaces: ContainerId[];

beforeEach(async () => {
  sidecars = await Sidecars.open();
  scenario = new Scenario(sidecars.state.conversations);
  watches = [];
  workspaces = [];
});
afterEach(async () => {
  await Promise.all(watches.map((watch) => watch.close()));
  await sidecars[Symbol.asyncDispose]();
});

/** What one instance of the runtime does; `put` may be another than that of its egress. */
function instance(name: string, put?: SidecarEgress['put']) {
  const totals = new EgressTotals();
  const egress = sidecars.egress({ totals });
  const lost: ContainerId[] = [];
  const watch = new SidecarWatch({
    state: sidecars.state,
    rules: sidecars.rules,
    totals,
    egress: {
      look: (id, state) => egress.look(id, state),
      put: put ?? ((id, state) => egress.put(id, state)),
    },
    service: undefined,
    others: async () => workspaces,
    instance: name,
    log,
    onLost: async (id) => void lost.push(id),
  });
  watches.push(watch);
  return { watch, lost, forwarded: () => totals.passed.get('forwarded') ?? 0 };
}

/** The container of a conversation, with its sidecar. */
async function conversation(words: Parameters<Scenario['ready']>[0] = {}): Promise<Incarnation & Sidecar> {
  const incarnation = await scenario.ready(words);
  return Object.assign(await sidecars.start(incarnation.container), incarnation);
}

/** A member of the warm pool, with its sidecar. */
async function member(n: number): Promise<{ container: ContainerId } & Sidecar> {
  const id = container(n);
  const place = { container: id, owner: 'ann', leaseSeconds: 30 };
  await sidecars.state.warmPool.reserve({ ...place, most: 10, maxContainers: 10 });
  await sidecars.state.warmPool.add({ ...place, image: 'image', manager: 'ecs' });
  return Object.assign(await sidecars.start(id), { container: id });
}

const pass = ({ gate }: Sidecar, times: number): void => {
  for (let n = 0; n < times; n += 1) gate.passed('forwarded');
};
const puts = ({ asked }: Sidecar): number => asked.filter((request) => request.startsWith('PUT')).length;
const OWN = ['a.tenant.example'];

describe('counting what sidecars let out', () => {
  it('counts it once, of conversations, of the pool and of workspaces', async () => {
    const workspace = workspaceContainerId(must(parseWorkspaceId('mine')));
    workspaces = [workspace];
    const [one, warm, app] = [await conversation(), await member(9), await sidecars.start(workspace)];
    const { watch, forwarded } = instance('ann');
    await watch.runOnce();
    pass(one, 3);
    pass(warm, 2);
    pass(app, 4);
    await watch.runOnce();
    expect(forwarded()).toBe(9);
    expect(puts(app)).toBe(1);

    await watch.runOnce();
    expect(forwarded()).toBe(9);
    pass(one, 1);
    await watch.runOnce();
    expect(forwarded()).toBe(10);
    expect(puts(app)).toBe(1);
  });

  it('counts all of one that is new', async () => {
    const { watch, forwarded } = instance('ann');
    await watch.runOnce();
    pass(await conversation(), 4);
    await watch.runOnce();

    expect(forwarded()).toBe(4);
  });

  it('counts nothing twice when another instance takes over, and back', async () => {
    const one = await conversation();
    const [ann, bob] = [instance('ann'), instance('bob')];
    await ann.watch.runOnce();
    pass(one, 3);
    await ann.watch.runOnce();
    await ann.watch.close();
    await bob.watch.runOnce();
    expect([ann.forwarded(), bob.forwarded()]).toEqual([3, 0]);

    pass(one, 2);
    await bob.watch.runOnce();
    await ann.watch.runOnce();
    expect([ann.forwarded(), bob.forwarded()]).toEqual([3, 2]);

    await bob.watch.close();
    await ann.watch.runOnce();
    pass(one, 1);
    await ann.watch.runOnce();
    await bob.watch.runOnce();
    expect([ann.forwarded(), bob.forwarded()]).toEqual([4, 2]);
  });

  it('is the work of one of two instances', async () => {
    const one = await conversation();
    const [ann, bob] = [instance('ann'), instance('bob')];
    await ann.watch.runOnce();
    one.asked.length = 0;
    await bob.watch.runOnce();
    expect(one.asked).toEqual([]);

    await ann.watch.close();
    await bob.watch.runOnce();
    expect(one.asked).toEqual(['GET /admin/stats']);
  });
});

describe('the rules that sidecars have', () => {
  it('are put to one that has none, or others, and not to one that has them', async () => {
    const none = await conversation({ conversation: 'c1' });
    const others = await conversation({ conversation: 'c2' });
    const right = await member(9);
    await sidecars.settings.change(none, { allowedDomains: OWN });
    others.gate.replace(egressState({ allowed_domains: ['evil.example'] }));
    await sidecars.egress().open(right.container, undefined);
    const { watch } = instance('ann');
    await watch.runOnce();

    expect(none.gate.state).toEqual(await sidecars.rules.stateFor(none));
    expect(none.gate.state?.allowed_domains).toEqual(OWN);
    expect(others.gate.state).toEqual(await sidecars.rules.stateFor(undefined));
    expect([none, others, right].map(puts)).toEqual([1, 1, 1]);
    await watch.runOnce();
    expect([none, others, right].map(puts)).toEqual([1, 1, 1]);
  });

  it('are put to one that was started anew', async () => {
    const one = await conversation();
    const { watch } = instance('ann');
    await watch.runOnce();
    const { gate } = await sidecars.start(one.container);
    await watch.runOnce();

    expect(gate.state?.allowed_domains).toEqual(OPERATOR.allowedDomains);
  });

  it('have renewed credentials at the next round, everywhere', async () => {
    const all = [await conversation(), await member(9)];
    const { watch } = instance('ann');
    sidecars.signing = signingRule();
    await watch.runOnce();
    const credentials = { ...signingRule().credentials, session_token: 'renewed' };
    sidecars.signing = signingRule({ credentials });
    await watch.runOnce();

    for (const { gate } of all) expect(gate.state?.signing?.credentials.session_token).toBe('renewed');
  });

  it('are those of whoever claims the container between the look and the put', async () => {
    const warm = await member(9);
    const egress = sidecars.egress();
    let claimed = false;
    const { watch } = instance('ann', async (id, state) => {
      if (!claimed) {
        claimed = true;
        await claim(egress);
      }
      await egress.put(id, state);
    });
    await watch.runOnce();

    expect(claimed).toBe(true);
    expect(warm.gate.state?.allowed_domains).toEqual(OWN);
  });

  it('are those of whoever claims the container before the look is over', async () => {
    const warm = await member(9);
    const egress = sidecars.egress();
    warm.before = async (request) => {
      warm.before = () => false;
      if (request.startsWith('GET')) await claim(egress);
      return false;
    };
    await instance('ann').watch.runOnce();

    expect(warm.gate.state?.allowed_domains).toEqual(OWN);
  });

  /** As a conversation does that takes a warm container. */
  async function claim(egress: SidecarEgress): Promise<void> {
    const result = await scenario.acquire();
    if (result.kind !== 'claimed') throw new Error(`${result.kind}, not claimed`);
    await sidecars.settings.change(result.record, { allowedDomains: OWN });
    await egress.claim(result.record.container, result.record);
  }
});

describe('a round among the sidecars', () => {
  it('leaves out a container that is being prepared', async () => {
    const { container: id } = await scenario.bound();
    const { asked } = await sidecars.start(id);
    await instance('ann').watch.runOnce();

    expect(asked).toEqual([]);
  });

  it('tells of what answers in the place of a proxy, and goes on to the others', async () => {
    const bad = await conversation({ conversation: 'c1' });
    const good = await conversation({ conversation: 'c2' });
    const impostor = createServer((_request, response) => response.end('{"status":"ok"}'));
    const port = await sidecars.listen(impostor);
    sidecars.endpoints.set(bad.container, { kind: 'address', host: '127.0.0.1', port });
    const { watch, lost } = instance('ann');
    await watch.runOnce();

    expect(lost).toEqual([bad.container]);
    expect(good.gate.state).toBeDefined();
  });

  it('leaves one that does not answer to the health checks, and goes on to the others', async () => {
    const silent = await conversation({ conversation: 'c1' });
    const gone = await conversation({ conversation: 'c2' });
    const good = await conversation({ conversation: 'c3' });
    silent.before = () => true;
    sidecars.endpoints.delete(gone.container);
    const { watch, lost } = instance('ann');
    await watch.runOnce();

    expect(lost).toEqual([]);
    expect(good.gate.state).toBeDefined();
  });
});
