import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createListener } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { APP_PORT } from './app-calls.ts';
import type { AppHarness } from './app-harness.ts';

/** What such a container reaches. */
export function appIsolationContract(harness: AppHarness): void {
  describe('an app', () => {
    it('reaches its egress proxy by the address it is told, and hears when there is none', async () => {
      const { spec, app } = await harness.running();
      const ask = 'curl -s --max-time 5 http://example.test/here';
      expect(await app.bash(ask)).toContain('egress proxy does not answer');
      const endpoint = await harness.backend.endpoint(spec.id, 'proxy');
      if (endpoint.kind !== 'socket') throw new Error('the proxy of an app is a socket');
      await using proxy = createServer((request, response) => response.end(`proxied ${request.url}`));
      // For the app's own user: a real proxy lets everyone connect.
      const umask = process.umask(0o111);
      proxy.listen(endpoint.path);
      process.umask(umask);
      await once(proxy, 'listening');
      expect(await app.bash(ask)).toBe('proxied http://example.test/here');
    });

    it("reaches neither another app, nor the host, nor any network, nor the runtime's sockets", async () => {
      if (!harness.backend.capabilities.isolates) return; // it does not claim to
      const [one, two] = await Promise.all([harness.running(), harness.running()]);
      expect(await one.app.connect('127.0.0.1', APP_PORT)).toBe('connected');
      await one.app.bash('echo mine > /tmp/mark');
      expect(await two.app.bash('cat /tmp/mark 2>/dev/null || echo none')).toBe('none');
      expect(await one.app.bash("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toBe('lo');
      expect(await one.app.bash('tail -n +2 /proc/net/route')).toBe('');
      await using host = createListener((socket) => socket.end('reached'));
      host.listen(0, '0.0.0.0');
      await once(host, 'listening');
      const { port } = host.address() as { port: number }; // of a TCP server it is never a text
      const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
      const addresses = all.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
      expect(addresses.length).toBeGreaterThan(1);
      for (const address of addresses)
        expect(await one.app.connect(address, port), address).not.toBe('connected');
      expect(await one.app.connect('169.254.169.254', 80)).toBe('ENETUNREACH');
      const sockets = await one.app.bash(
        'find / -xdev -type s 2>/dev/null; find /berth -type s 2>/dev/null; true',
      );
      expect(sockets).toBe('');
      // Whatever it puts there, the runtime goes on to dial the app.
      await one.app.bash(
        'mkdir -p /berth/agent; rm -f /berth/agent/agent.sock; touch /berth/agent/agent.sock; true',
      );
      expect(await one.app.call('/')).toBe('the app');
    });
  });
}
