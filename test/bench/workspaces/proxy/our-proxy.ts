import { pino } from 'pino';
import { hashApiKey } from '../../../../runtime/access/api-key.ts';
import { KeyRing } from '../../../../runtime/access/key-ring.ts';
import { openDatabase } from '../../../../runtime/assembly/open-database.ts';
import { createApp } from '../../../../runtime/http/app.ts';
import { HttpServer } from '../../../../runtime/http/server.ts';
import { WorkspaceProxy } from '../../../../runtime/http/workspace-proxy/workspace-proxy.ts';
import { InstallationSecret } from '../../../../runtime/identity/installation-secret.ts';
import { MemoryActivityStore } from '../../../../runtime/state/memory/memory-activity-store.ts';
import { Metrics } from '../../../../runtime/telemetry/metrics.ts';
import { DatabaseDirectory } from '../../../../runtime/workspaces/workspace-directory.ts';
import { NO_LIMITS, tenant, WorkspaceScenario } from '../../../contract/database/workspace-scenario.ts';
import { must } from '../../../support/must.ts';

interface Order {
  folder: string;
  /** Of the program that the one workspace runs. */
  port: number;
  key: string;
}

/**
 * A program: the proxy of workspaces on a server of its own, as the runtime has it. What it leads to is a port of this
 * machine, as what any other proxy is measured with; a container's own way in comes beside that.
 */
const { folder, port, key }: Order = JSON.parse(must(process.argv[2]));
const database = await openDatabase({ url: undefined, dataDir: folder });
await new WorkspaceScenario(database).settled('RUNNING');

const log = pino({ level: 'warn' }, pino.destination(2));
const activity = new MemoryActivityStore(Date);
const ring = new KeyRing([{ name: 'key', tenant: tenant(), scope: 'use', sha256: hashApiKey(key) }]);
const metrics = new Metrics(async () => 0);
const directory = new DatabaseDirectory({
  database,
  backend: { endpoint: async () => ({ kind: 'address', host: '127.0.0.1', port }) },
  prove: async () => {},
  activity,
  limits: NO_LIMITS,
});
let url = '';
const proxy = new WorkspaceProxy({
  directory,
  activity,
  writes: database.workspaces.proxy,
  retry: (of, id) => database.workspaces.api.retry(of, id),
  ring,
  secret: new InstallationSecret(Buffer.alloc(32, 7)),
  metrics,
  settings: {
    domain: undefined,
    base: () => url,
    pathsRefusal: () => undefined,
    trustedProxies: [],
    standbySeconds: 300,
    wakeSeconds: 20,
  },
  log,
});
const server = new HttpServer(createApp({ routes: [], ring, log, metrics, trustedProxies: [] }), proxy);
url = await server.listen('127.0.0.1', 0);
console.log(new URL(url).port);
