import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { type BenchSetting, onDocker, onRedis } from './bench-setting.ts';
import { CountingRedis } from './counting-redis.ts';
import type { Figure } from './figure.ts';
import { memoryMegabytes } from './process-memory.ts';

const STREAMS = 1000;
const AT_ONCE = 50;
const SETTLE_MS = 3000;
const SILENT = { user_input: 'sleep 600', model: 'code/bash' };

/** 1,000 clients of an execution that says nothing: at the instance that relays it, and at one that does not. */
export async function idleStreams(setting: BenchSetting): Promise<Figure[]> {
  await using redis = await CountingRedis.start(setting);
  const secret = randomBytes(32).toString('hex');
  const env = { ...onDocker(setting), ...onRedis(setting, redis.url, secret), GRACE_PERIOD_SECONDS: '1' };
  await using relaying = await RuntimeProcess.start({ env });
  const events = await silentExecution(relaying);
  const here = await costOf(relaying, events);
  await using other = await RuntimeProcess.start({ env });
  const connections = await redis.connections();
  const there = await costOf(other, events, async () => (await redis.connections()) - connections);
  return [
    {
      name: '1,000 idle streams where the execution is relayed',
      unit: 'MB',
      ours: here.megabytes,
      goal: 150,
    },
    { name: '1,000 idle streams at another instance', unit: 'MB', ours: there.megabytes, goal: 150 },
    { name: "those streams' connections to Redis", unit: 'connections', ours: there.counted, goal: 1 },
  ];
}

/** Memory that the streams take while they are open, and what is counted then. */
async function costOf(
  runtime: RuntimeProcess,
  path: string,
  count: () => Promise<number> = async () => 0,
): Promise<{ megabytes: number; counted: number }> {
  const agent = new Agent({ maxSockets: STREAMS });
  await sleep(SETTLE_MS);
  const before = memoryMegabytes(runtime.child.pid, 'VmRSS');
  for (let opened = 0; opened < STREAMS; opened += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => openStream(runtime, path, agent)));
  }
  await sleep(SETTLE_MS);
  const megabytes = memoryMegabytes(runtime.child.pid, 'VmRSS') - before;
  const counted = await count();
  agent.destroy();
  return { megabytes, counted };
}

/** Resolves once its first event is there. */
function openStream(runtime: RuntimeProcess, path: string, agent: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${runtime.developmentKey}` };
  return new Promise((resolve, reject) => {
    get(`${runtime.url}${path}`, { agent, headers }, (answer) => {
      answer.on('error', () => {}); // it is cut at the end
      answer.once('data', () => resolve());
      if (answer.statusCode !== 200) reject(new Error(`a stream was answered with ${answer.statusCode}`));
    }).on('error', reject);
  });
}

async function silentExecution(runtime: RuntimeProcess): Promise<string> {
  const answer = await runtime.post('/v1/conversations/bench/execute', SILENT);
  const reader = answer.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  const [, execution] = /"execution_id":"(ex-[0-9a-f]+)"/.exec(first) ?? [];
  if (execution === undefined) throw new Error(`the execution did not begin: ${first}`);
  return `/v1/conversations/bench/executions/${execution}/events`;
}
