import { randomBytes } from 'node:crypto';
import { agentStart } from './agent-start.ts';
import { type BenchSetting, onDocker, onRedis } from './bench-setting.ts';
import { changedFile } from './changed-file.ts';
import { coldStart } from './cold-start.ts';
import { commandLine } from './command-line.ts';
import { dashboard } from './dashboard.ts';
import { ecsBurst } from './ecs-burst.ts';
import { ecsCalls } from './ecs-calls.ts';
import { egressOpenTunnels } from './egress-open-tunnels.ts';
import { egressRequests } from './egress-requests.ts';
import { egressThroughput } from './egress-throughput.ts';
import { execOverhead } from './exec-overhead.ts';
import { expiryCycle } from './expiry-cycle.ts';
import type { Figure } from './figure.ts';
import { firstEvent } from './first-event.ts';
import { functionFigures } from './functions/function-figures.ts';
import { idleStreams } from './idle-streams.ts';
import { infraPreviews } from './infra-previews.ts';
import { memoryPerRecord } from './memory-per-record.ts';
import { poolRefill } from './pool-refill.ts';
import { runtimeStart } from './runtime-start.ts';
import { streamRelay } from './stream-relay.ts';
import { BURST_POOL, warmBurst } from './warm-burst.ts';
import { warmClaim } from './warm-claim.ts';
import { WarmClaims } from './warm-claims.ts';
import { workspaceProxy } from './workspaces/proxy/workspace-proxy.ts';
import { reconcileTick } from './workspaces/reconcile-tick.ts';
import { workspaceArchive } from './workspaces/workspace-archive.ts';
import { workspaceStart } from './workspaces/workspace-start.ts';

const MEMORY = 'state in memory';
const REDIS = 'state in Redis';

/** Everything that is measured, in order, by the name it is asked for with. */
export const rows: Record<string, (setting: BenchSetting) => Promise<Figure[]>> = {
  'cold-start': async (setting) => [await coldStart(setting)],
  pool: async (setting) => {
    await using claims = await WarmClaims.open(setting);
    await claims.fill(BURST_POOL);
    const claim = await warmClaim(claims);
    await claims.fill(BURST_POOL);
    return [claim, await warmBurst(claims)];
  },
  refill: async (setting) => [await poolRefill(setting)],
  exec: async (setting) => [
    await execOverhead(MEMORY, onDocker(setting)),
    await execOverhead(REDIS, { ...onDocker(setting), ...sharedState(setting) }),
  ],
  execute: async (setting) => [
    await firstEvent(MEMORY, onDocker(setting)),
    await firstEvent(REDIS, { ...onDocker(setting), ...sharedState(setting) }),
  ],
  relay: async (setting) => [
    ...(await streamRelay(MEMORY, {}, { least: 0.6 })),
    ...(await streamRelay(REDIS, sharedState(setting), { least: 0.25 })),
  ],
  streams: idleStreams,
  expiry: expiryCycle,
  'memory-per-record': memoryPerRecord,
  saving: changedFile,
  egress: async ({ say }) => [
    ...(await egressThroughput(say)),
    ...(await egressRequests(say)),
    await egressOpenTunnels(),
  ],
  ecs: async (setting) => [...(await ecsCalls(setting)), ...(await ecsBurst(setting))],
  infra: ({ dockerHost, say }) => infraPreviews(dockerHost, say),
  workspaces: reconcileTick,
  'workspace-proxy': workspaceProxy,
  'workspace-start': async (setting) => [await workspaceStart(setting)],
  'workspace-archive': workspaceArchive,
  agent: agentStart,
  runtime: async (setting) => runtimeStart(onDocker(setting)),
  'command-line': (setting) => commandLine(onDocker(setting), setting.folder),
  dashboard,
  functions: (setting) => functionFigures(setting, () => sharedState(setting)),
};

/** The state in the run's Redis, apart from that of every other row. */
function sharedState(setting: BenchSetting): Record<string, string> {
  return onRedis(setting, setting.redisUrl, randomBytes(32).toString('hex'));
}
