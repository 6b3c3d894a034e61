import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { parseTenantId } from '../../runtime/contracts/ids.ts';
import { readPageFiles } from '../../runtime/dashboard/page-files.ts';
import { openRedisState } from '../../runtime/state/redis/open-redis-state.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { addRecords } from './add-records.ts';
import { type BenchSetting, onDocker, onRedis } from './bench-setting.ts';
import { type Figure, median } from './figure.ts';

const CONVERSATIONS = 1000;
const VIEWERS = 100;
const VISITS = 5;
const SETTLE_MS = 3000;
const WATCHED_MS = 10_000;
const TICKS_A_SECOND = 100;
const TTL = { idleSeconds: 3600, maxLifetimeSeconds: 28_800 };

/** The dashboard of a runtime with 1,000 conversations: its first paint, its size, and what a hundred of it cost. */
export async function dashboard(setting: BenchSetting): Promise<Figure[]> {
  const secret = randomBytes(32).toString('hex');
  const redis = onRedis(setting, setting.redisUrl, secret);
  // The records have no containers: nobody may look for them meanwhile.
  const quiet = {
    GC_INTERVAL_SECONDS: '3600',
    HEALTH_CHECK_INTERVAL_SECONDS: '3600',
    MAX_CONTAINERS: '5000',
  };
  await using runtime = await RuntimeProcess.start({ env: { ...onDocker(setting), ...redis, ...quiet } });
  const state = openRedisState({
    url: setting.redisUrl,
    keyPrefix: must(redis.REDIS_KEY_PREFIX),
    maxLifetimeSeconds: TTL.maxLifetimeSeconds,
  });
  const tenant = must(parseTenantId('dev'));
  await addRecords(state, tenant, CONVERSATIONS, { ttl: TTL, maxContainers: 5000 });
  await state.close();
  const paints = await firstPaints(runtime, setting.chromium);
  return [
    {
      name: 'first paint of the overview, of 1,000 conversations',
      unit: 'ms',
      ours: paints.overview,
      goal: 1000,
    },
    { name: 'until the list shows the first 100 of them', unit: 'ms', ours: paints.list, goal: 1000 },
    {
      name: 'all scripts of the dashboard, compressed',
      unit: 'bytes',
      ours: await scriptBytes(),
      goal: 200_000,
    },
    { name: 'CPU a second for 100 open overviews', unit: 'ms', ours: await watchedCost(runtime), goal: 100 },
  ];
}

async function firstPaints(
  runtime: RuntimeProcess,
  program: string,
): Promise<{ overview: number; list: number }> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const browser = await chromium.launch({ executablePath: program, args });
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${runtime.url}/`);
    await page.evaluate(`sessionStorage.setItem('berth-key', ${JSON.stringify(runtime.developmentKey)})`);
    const visit = async (hash: string, shown: string): Promise<number> => {
      await page.goto('about:blank');
      await page.goto(`${runtime.url}/${hash}`, { waitUntil: 'commit' });
      return page.evaluate(`(async () => {
        while (document.querySelector(${JSON.stringify(shown)}) === null) await new Promise(requestAnimationFrame);
        return performance.now();
      })()`);
    };
    const times: Record<'overview' | 'list', number[]> = { overview: [], list: [] };
    for (let visits = 0; visits < VISITS; visits += 1) {
      times.overview.push(await visit('#/', '.figure:not(:empty)'));
      times.list.push(await visit('#/conversations', 'tbody tr:nth-child(100)'));
    }
    return { overview: median(times.overview), list: median(times.list) };
  } finally {
    await browser.close();
  }
}

async function scriptBytes(): Promise<number> {
  const scripts = [...readPageFiles().files].filter(([name]) => /\.m?js$/.test(name));
  const sizes = await Promise.all(scripts.map(async ([, file]) => (await file.as('br')).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What the runtime's process spends more while they are open, in milliseconds a second. */
async function watchedCost(runtime: RuntimeProcess): Promise<number> {
  await sleep(SETTLE_MS);
  const before = await spentIn(runtime);
  const agent = new Agent({ maxSockets: VIEWERS });
  await Promise.all(Array.from({ length: VIEWERS }, () => openOverview(runtime, agent)));
  await sleep(SETTLE_MS);
  const with100 = await spentIn(runtime);
  agent.destroy();
  return Math.max(0, with100 - before);
}

async function spentIn(runtime: RuntimeProcess): Promise<number> {
  const ticks = () => {
    const fields = readFileSync(`/proc/${runtime.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  const first = ticks();
  await sleep(WATCHED_MS);
  return ((ticks() - first) / TICKS_A_SECOND / (WATCHED_MS / 1000)) * 1000;
}

/** Resolves once its first event is there; all that follow are read. */
function openOverview(runtime: RuntimeProcess, agent: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${runtime.developmentKey}`, accept: 'text/event-stream' };
  return new Promise((resolve, reject) => {
    get(`${runtime.url}/v1/overview`, { agent, headers }, (answer) => {
      answer.on('error', () => {}); // it is cut at the end
      answer.on('data', () => resolve());
      if (answer.statusCode !== 200) reject(new Error(`an overview was answered with ${answer.statusCode}`));
    }).on('error', reject);
  });
}
