import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { Redis } from 'ioredis';
import { LABEL } from '../../../runtime/contracts/labels.ts';
import { FunctionCalls } from '../../support/function-calls.ts';
import { must } from '../../support/must.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';
import type { BenchSetting } from '../bench-setting.ts';
import { type Figure, median } from '../figure.ts';

const FUNCTIONS = 3;
const LOOKS = 15;
const LOOK_MS = 100;
const SOURCE = 'export default () => ({hello: true})';

/** Told by a signal: what keeps the event loop of the runtime alive. */
const TELL = `process.on('SIGUSR2', () => console.log(JSON.stringify({ resources: process.getActiveResourcesInfo() })))`;

/** What functions leave that were called, and then were not for a second, with all that the runtime is at rest. */
export async function scaleToZero(
  { dockerHost, installation }: BenchSetting,
  env: Record<string, string>,
): Promise<Figure[]> {
  await using runtime = await RuntimeProcess.start({
    env: {
      ...env,
      HEARTBEAT_INTERVAL: '1',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL)}`,
    },
  });
  // The first container of an installation brings its egress proxy, which stays for all that follow.
  await useAndLeave(runtime, 'first', 1);
  const before = await resources(runtime);
  await useAndLeave(runtime, 'zero', FUNCTIONS);
  const after = await resources(runtime);

  const engine = new Docker({ socketPath: dockerHost.replace('unix://', '') });
  const filters = { label: [`${LABEL.installation}=${installation}`] };
  const containers = await engine.listContainers({ all: true, filters });
  const redis = new Redis(must(env.REDIS_URL));
  const keys = await redis.keys(`${env.REDIS_KEY_PREFIX}fn:*`);
  redis.disconnect();
  return [
    {
      name: 'containers of functions that nobody calls',
      unit: 'containers',
      ours: containers.length,
      goal: 0,
    },
    { name: 'their keys in Redis', unit: 'keys', ours: keys.length, goal: 0 },
    {
      name: 'timers and sockets of the runtime, more than before they were called',
      unit: 'resources',
      ours: Math.max(0, after - before),
      goal: 0,
    },
  ];
}

/** Some functions are called, until none of their workers is left. */
async function useAndLeave(runtime: RuntimeProcess, name: string, count: number): Promise<void> {
  const scaling = { max_capacity: 2, idle_timeout: 1 };
  const functions = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      FunctionCalls.define(runtime, `${name}-${index}`, SOURCE, { scaling }),
    ),
  );
  const calls = await Promise.all(functions.flatMap((each) => [each.call(), each.call(), each.call()]));
  const failed = calls.find(({ status }) => status !== 200);
  if (failed !== undefined)
    throw new Error(`a call was answered with ${failed.status}: ${JSON.stringify(failed.json)}`);
  for (const each of functions) while ((await each.pool()).total_workers !== 0) await sleep(LOOK_MS);
  await sleep(10_000); // what was told to those who waited, and kept connections
}

/** The median of some looks: loops come and go. Connections of the one that asks are not counted. */
async function resources(runtime: RuntimeProcess): Promise<number> {
  const counts: number[] = [];
  const seen = runtime.log.length;
  for (let look = 0; look < LOOKS; look += 1) {
    runtime.child.kill('SIGUSR2');
    await sleep(LOOK_MS);
  }
  for (const { resources } of runtime.log.slice(seen)) {
    if (!Array.isArray(resources)) continue;
    counts.push(resources.filter((kind) => ['Timeout', 'PipeWrap', 'ProcessWrap'].includes(kind)).length);
  }
  return median(counts);
}
