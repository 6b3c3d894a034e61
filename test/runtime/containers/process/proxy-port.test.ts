import { afterAll, expect, it } from 'vitest';
import { processBackends } from '../../../contract/container-backend/process-backends.ts';
import { agentOf, containerSpec } from '../../../contract/container-backend/specs.ts';
import { must } from '../../../support/must.ts';
import { listenAsProxy } from '../proxy-mount.ts';

const under = processBackends(undefined);
const backend = under.open({ installation: 'proxy-port-tests' });
const specs = [containerSpec('workspace-base'), containerSpec('workspace-base')];

afterAll(async () => {
  for (const { id } of specs) await backend.destroy(id);
  await backend.close();
  await under.remove();
});

it('without bwrap each container has a port of its own, which leads to its own proxy', async () => {
  await Promise.all(specs.map((spec) => backend.create(spec)));
  const [first, second] = specs.map((spec) => agentOf(backend, spec));
  const ask = 'exec 3<>/dev/tcp/127.0.0.1/$(echo $HTTP_PROXY | cut -d: -f3); cat <&3';
  const { id } = must(specs[0]);
  const endpoint = await backend.endpoint(id, 'proxy');
  if (endpoint.kind !== 'socket') throw new Error('its proxy listens on a socket');
  const proxy = await listenAsProxy({ proxySocket: endpoint.path });
  try {
    expect(await must(first).bash(ask)).toBe('the proxy');
    expect(await must(second).bash(ask)).toContain('502 Bad Gateway');
  } finally {
    proxy.close();
  }
});
