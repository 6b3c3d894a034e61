import { createAdminServer } from './admin/admin-server.ts';
import { containerCommands } from './admin/container-commands.ts';
import { ReplayGuard } from './admin/replay-guard.ts';
import { AdminSeal } from './admin/sealed-message.ts';
import { Gate } from './gate.ts';
import { printLine, runProgram } from './program.ts';
import { createSharedProxyServer } from './proxy/proxy-server.ts';
import { ServedContainers } from './served-containers.ts';

const help = `The egress proxy of many sandboxes, as a service of its own. Each is known by its credential.

  PROXY_LISTEN_PORT  where sandboxes and their sidecars find it (8080)
  ADMIN_PORT         health, and the runtime's sealed calls (8081)
  PROXY_ADMIN_KEY    what seals them; required, secret
`;

await runProgram('proxy-service', help, ({ adminKey }) => {
  const containers = new ServedContainers(printLine);
  const nobody = new Gate('', printLine);
  const find = (container: string, credential: string) => containers.find(container, credential);
  return {
    proxy: createSharedProxyServer(find, { nobody }),
    admin: createAdminServer(new AdminSeal(adminKey), ReplayGuard.fromNow(), containerCommands(containers)),
    close: () => containers.close(),
  };
});
