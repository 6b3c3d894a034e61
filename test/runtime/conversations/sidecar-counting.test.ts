import { pino } from 'pino';
import { expect, it } from 'vitest';
import { SidecarWatch } from '../../../runtime/conversations/sidecar-watch.ts';
import { containerCommands } from '../../../runtime/egress/admin/container-commands.ts';
import { ServedContainers } from '../../../runtime/egress/served-containers.ts';
import { EgressService } from '../../../runtime/egress-host/egress-service.ts';
import { EgressTotals } from '../../../runtime/egress-host/egress-totals.ts';
import { Scenario } from '../../contract/state/scenario.ts';
import { Sidecars } from '../egress-host/sidecars.ts';

function instance(sidecars: Sidecars, name: string, service?: EgressService) {
  const totals = new EgressTotals();
  const egress = sidecars.egress({ totals, ...(service && { service }) });
  const { state, rules } = sidecars;
  const log = pino({ level: 'silent' });
  const onLost = async () => {};
  const watch = new SidecarWatch({
    state,
    rules,
    totals,
    egress,
    service,
    others: async () => [],
    instance: name,
    log,
    onLost,
  });
  return { watch, egress, forwarded: () => totals.passed.get('forwarded') ?? 0 };
}

it('a new leader whose first look at a sidecar fails does not count again what was counted', async () => {
  await using sidecars = await Sidecars.open();
  const { container: id } = await new Scenario(sidecars.state.conversations).ready();
  const sidecar = await sidecars.start(id);
  const [ann, bob] = [instance(sidecars, 'ann'), instance(sidecars, 'bob')];
  await ann.watch.runOnce();
  for (let n = 0; n < 3; n += 1) sidecar.gate.passed('forwarded');
  await ann.watch.runOnce();
  await ann.watch.close();
  sidecar.before = () => true;
  await bob.watch.runOnce();
  sidecar.before = () => false;
  await bob.watch.runOnce();
  await bob.watch.close();
  expect(ann.forwarded() + bob.forwarded()).toBe(3);
});

it('strict: an instance that stops a container does not count again what the leader counted', async () => {
  await using sidecars = await Sidecars.open();
  const { container: id } = await new Scenario(sidecars.state.conversations).ready();
  const served = new ServedContainers(() => {});
  const port = await sidecars.serve(containerCommands(served), 'key');
  const service = new EgressService({
    url: 'http://127.0.0.1:1',
    adminUrl: `http://127.0.0.1:${port}`,
    adminKey: 'key',
    secret: sidecars.secret,
    now: () => sidecars.state.conversations.now(),
  });
  const [ann, bob] = [instance(sidecars, 'ann', service), instance(sidecars, 'bob', service)];
  await ann.watch.runOnce();
  const gate = served.find(id, sidecars.secret.egressCredential(id));
  for (let n = 0; n < 3; n += 1) gate?.passed('forwarded');
  await ann.watch.runOnce();
  await bob.egress.stop(id);
  await ann.watch.close();
  expect(ann.forwarded() + bob.forwarded()).toBe(3);
});

it('strict: renewed credentials, and changed rules, reach a service that knows the container', async () => {
  await using sidecars = await Sidecars.open();
  const record = await new Scenario(sidecars.state.conversations).ready();
  const served = new ServedContainers(() => {});
  const port = await sidecars.serve(containerCommands(served), 'key');
  const service = new EgressService({
    url: 'http://127.0.0.1:1',
    adminUrl: `http://127.0.0.1:${port}`,
    adminKey: 'key',
    secret: sidecars.secret,
    now: () => sidecars.state.conversations.now(),
  });
  const { watch } = instance(sidecars, 'ann', service);
  await watch.runOnce();
  await sidecars.settings.change(record, { allowedDomains: [] });
  await watch.runOnce();
  await watch.close();
  const gate = served.find(record.container, sidecars.secret.egressCredential(record.container));
  expect(gate?.state?.allowed_domains).toEqual([]);
});
