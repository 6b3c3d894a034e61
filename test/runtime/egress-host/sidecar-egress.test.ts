import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { containerCommands } from '../../../runtime/egress/admin/container-commands.ts';
import { ServedContainers } from '../../../runtime/egress/served-containers.ts';
import { WayOutLost } from '../../../runtime/egress-host/container-egress.ts';
import { EgressService } from '../../../runtime/egress-host/egress-service.ts';
import { EgressTotals } from '../../../runtime/egress-host/egress-totals.ts';
import { container, conversation, tenant } from '../../contract/state/names.ts';
import { signingRule } from '../egress/routes/egress-state.ts';
import { startProgram } from '../egress/sidecar/running-program.ts';
import { ask, startUpstream } from '../egress/sidecar/talk.ts';
import { OPERATOR, Sidecars } from './sidecars.ts';

const id = container(1);
const plain = { tenant: tenant('acme'), conversation: conversation('plain') };
const owner = { tenant: tenant('acme'), conversation: conversation('own') };
const OWN = {
  allowedDomains: ['a.tenant.example'],
  mcpServers: {
    tools: { real_base_url: 'https://mcp.tenant.example/v1', headers: { 'X-Key': 'canary-of-the-tenant' } },
  },
};

let sidecars: Sidecars;
beforeEach(async () => {
  sidecars = await Sidecars.open();
  await sidecars.settings.change(owner, OWN);
});
afterEach(() => sidecars[Symbol.asyncDispose]());

describe('the way out of a container with a proxy beside it', () => {
  it("opens with the operator's rules while it is nobody's", async () => {
    const { gate, asked } = await sidecars.start(id);
    sidecars.signing = signingRule();
    await sidecars.egress().open(id, undefined);

    expect(gate.state).toEqual({
      allowed_domains: OPERATOR.allowedDomains,
      mcp_domains: OPERATOR.ceiling,
      mcp_servers: {},
      signing: signingRule(),
      anthropic: OPERATOR.anthropic,
    });
    expect(asked).toEqual(['PUT /admin/state']);
  });

  it("opens with its conversation's rules, and at any instance with those of now", async () => {
    const { gate } = await sidecars.start(id);
    await sidecars.egress().open(id, owner);
    expect(gate.state).toMatchObject({
      allowed_domains: OWN.allowedDomains,
      mcp_servers: OWN.mcpServers,
    });

    await sidecars.settings.change(owner, { allowedDomains: [] });
    await sidecars.egress().open(id, owner);
    expect(gate.state).toMatchObject({ allowed_domains: [], mcp_servers: OWN.mcpServers });
  });

  it('has the rules that were changed while they were on their way', async () => {
    const sidecar = await sidecars.start(id);
    const changes = [['b.tenant.example'], ['c.tenant.example']];
    sidecar.before = async () => {
      const allowedDomains = changes.shift();
      if (allowedDomains !== undefined) await sidecars.settings.change(owner, { allowedDomains });
      return false;
    };
    await sidecars.egress().open(id, owner);

    expect(sidecar.gate.state?.allowed_domains).toEqual(['c.tenant.example']);
    expect(sidecar.asked).toHaveLength(3);
  });

  it('is claimed without a call by a conversation that has no rules of its own', async () => {
    const { gate, asked } = await sidecars.start(id);
    await sidecars.egress().open(id, undefined);
    asked.length = 0;
    const before = gate.state;
    await sidecars.egress().claim(id, plain);

    expect(asked).toEqual([]);
    expect(gate.state).toBe(before);
  });

  it('is claimed with the rules of a conversation that has some', async () => {
    const { gate } = await sidecars.start(id);
    await sidecars.egress().open(id, undefined);
    await sidecars.egress().claim(id, owner);

    expect(gate.state).toMatchObject({ allowed_domains: OWN.allowedDomains, mcp_servers: OWN.mcpServers });
  });

  it('tells its counters, and whether its rules are these', async () => {
    const { gate } = await sidecars.start(id);
    sidecars.signing = signingRule();
    const egress = sidecars.egress();
    const [ours, nobodys] = [await sidecars.rules.stateFor(owner), await sidecars.rules.stateFor(undefined)];
    expect((await egress.look(id, ours)).isCurrent).toBe(false);
    await egress.open(id, owner);
    gate.passed('forwarded');

    expect(await egress.look(id, ours)).toMatchObject({
      isCurrent: true,
      stats: { passed: { forwarded: 1 } },
    });
    expect((await egress.look(id, nobodys)).isCurrent).toBe(false);
  });

  it('is not there for one that has no proxy at an address', async () => {
    sidecars.endpoints.set(id, { kind: 'socket', path: '/nowhere' });
    await expect(sidecars.egress().open(id, undefined)).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(sidecars.egress().open(container(2), undefined)).rejects.toMatchObject({
      code: 'CONTAINER_NOT_FOUND',
    });
  });

  it('lets out what it is told by the program that runs there', async () => {
    const upstream = await startUpstream();
    const PROXY_ADMIN_KEY = sidecars.secret.proxyAdminKey(id);
    const program = await startProgram('sidecar-main.ts', { PROXY_ADMIN_KEY, CONTAINER_ID: id });
    try {
      sidecars.endpoints.set(id, { kind: 'address', host: '127.0.0.1', port: program.adminPort });
      const here = `internal:127.0.0.1:${upstream.port}`;
      const status = async () =>
        (await ask(program.proxyPort, 'GET', `http://127.0.0.1:${upstream.port}/`)).status;
      expect(await status()).toBe(403);

      const state = { ...(await sidecars.rules.stateFor(undefined)), allowed_domains: [here] };
      await sidecars.egress().put(id, state);
      expect(await status()).toBe(200);
      expect(await sidecars.egress().look(id, state)).toMatchObject({
        isCurrent: true,
        stats: { refused: { not_allowed: 1 }, passed: { forwarded: 1 } },
      });
    } finally {
      await program.stop();
      upstream.server.closeAllConnections();
      upstream.server.close();
    }
  });
});

describe('a proxy that is lost', () => {
  const lost = (): Promise<WayOutLost> =>
    sidecars
      .egress()
      .open(id, owner)
      .then(
        () => Promise.reject(new Error('it took the rules')),
        (error) => error,
      );

  it('to something else at its port is told as such, and that learns no rule', async () => {
    const received: Buffer[] = [];
    const server = createServer(async (request, response) => {
      received.push(Buffer.from(JSON.stringify([request.url, request.headers])), await buffer(request));
      response.end('{"status":"ok"}');
    });
    sidecars.endpoints.set(id, { kind: 'address', host: '127.0.0.1', port: await sidecars.listen(server) });

    const failure = await lost();
    expect(failure).toBeInstanceOf(WayOutLost);
    expect(failure).toMatchObject({ code: 'EGRESS_UNAVAILABLE', isImpostor: true });
    expect(failure.detail).toContain(id);
    expect(received.length).toBeGreaterThan(0);
    expect(Buffer.concat(received).toString('latin1')).not.toMatch(/canary|example|allowed_domains/);
    expect(failure.message).not.toContain('canary');
  });

  it("to another container's proxy is told as such, and that keeps its own rules", async () => {
    const { gate } = await sidecars.start(id, sidecars.secret.proxyAdminKey(container(2)));

    expect(await lost()).toMatchObject({ code: 'EGRESS_UNAVAILABLE', isImpostor: true });
    expect(gate.state).toBeUndefined();
  });

  it('to an echo of what it was sent is told as such', async () => {
    const server = createServer((request, response) => void request.pipe(response));
    sidecars.endpoints.set(id, { kind: 'address', host: '127.0.0.1', port: await sidecars.listen(server) });

    expect(await lost()).toMatchObject({ isImpostor: true });
  });

  it('and leaves nothing at its port is not told as another', async () => {
    const server = createServer();
    const port = await sidecars.listen(server);
    await new Promise((resolve) => server.close(resolve));
    sidecars.endpoints.set(id, { kind: 'address', host: '127.0.0.1', port });

    const failure = await lost();
    expect(failure).toBeInstanceOf(WayOutLost);
    expect(failure).toMatchObject({ code: 'EGRESS_UNAVAILABLE', isImpostor: false });
  });
});

describe('in strict mode', () => {
  it('the proxy service is told instead, and its last counters are kept', async () => {
    const { asked } = await sidecars.start(id);
    const served = new ServedContainers(() => {});
    const port = await sidecars.serve(containerCommands(served), 'key-of-the-service');
    const service = new EgressService({
      url: 'http://127.0.0.1:1',
      adminUrl: `http://127.0.0.1:${port}`,
      adminKey: 'key-of-the-service',
      secret: sidecars.secret,
      now: () => sidecars.state.conversations.now(),
    });
    const totals = new EgressTotals();
    const egress = sidecars.egress({ service, totals });
    await egress.open(id, owner);

    const gate = served.find(id, sidecars.secret.egressCredential(id));
    expect(gate?.state).toMatchObject({ allowed_domains: OWN.allowedDomains });
    expect(asked).toEqual([]);
    gate?.passed('forwarded');
    await egress.stop(id);
    expect(totals.passed.get('forwarded')).toBe(1);
    expect(served.stats()).toEqual({});
    await egress.stop(id);
    expect(totals.passed.get('forwarded')).toBe(1);
  });
});
