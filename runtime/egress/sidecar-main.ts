import { type AdminOffers, createAdminServer } from './admin/admin-server.ts';
import { gateCommands } from './admin/gate-commands.ts';
import { ReplayGuard } from './admin/replay-guard.ts';
import { AdminSeal } from './admin/sealed-message.ts';
import { createForwardingServer } from './forwarding-server.ts';
import { Gate } from './gate.ts';
import { printLine, runProgram } from './program.ts';
import { createProxyServer } from './proxy/proxy-server.ts';

const help = `The egress proxy of one sandbox, as a sidecar that shares the sandbox's network.

  PROXY_LISTEN_PORT  where the sandbox finds it, on 127.0.0.1 (8080)
  ADMIN_PORT         health, and the runtime's sealed calls (8081)
  PROXY_ADMIN_KEY    what seals them; required, secret
  CONTAINER_ID       the sandbox, as log lines name it

With these two it has no rules of its own and forwards everything to a shared proxy:

  EGRESS_PROXY_URL   http://host:port or https://host:port
  EGRESS_CREDENTIAL  what CONTAINER_ID is known by there; secret
`;

const NO_RULES: AdminOffers = {
  command: () => undefined,
  stats: () => ({ refused: {}, passed: {}, durations: {} }),
};

await runProgram('proxy-sidecar', help, ({ adminKey, containerId, onward }) => {
  const gate = new Gate(containerId, printLine);
  const offers = onward === undefined ? gateCommands(gate) : NO_RULES;
  return {
    proxy: onward === undefined ? createProxyServer(gate) : createForwardingServer(onward),
    proxyHost: '127.0.0.1',
    admin: createAdminServer(new AdminSeal(adminKey), ReplayGuard.fromNow(), offers),
    close: () => gate.close(),
  };
});
