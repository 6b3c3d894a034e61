import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FARGATE_DELAYS } from '../support/ecs-emulator/tasks/task-delays.ts';
import { must } from '../support/must.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';
import type { BenchSetting } from './bench-setting.ts';
import { EcsInstallation, runCommand } from './ecs-installation.ts';
import { type Figure, percentile, timed } from './figure.ts';

const POOL = 120;
const CLAIMS = 200;
const OVER_MS = 10_000;
/** A task starts within 12 to 18 s of the wall's clock: longer than the burst, so that the pool runs empty. */
const SPEED = 2.5;
const LOOK_MS = 100;
/** What two claims may be apart and still overtake each other; and what an answer from the pool may take. */
const APART_MS = 1000;

interface Claim {
  conversation: string;
  runtime: RuntimeProcess;
  begunAt: number;
  ms: number;
}

/** 200 conversations over 10 s of the wall's clock at two instances, which have 120 members ready. */
export async function ecsBurst(setting: BenchSetting): Promise<Figure[]> {
  await using installation = await EcsInstallation.open(setting, { speed: SPEED });
  const { emulator } = installation;
  const instances = await installation.start(2);
  await installation.fillPool(POOL);
  const members = new Set(emulator.tasks.map(({ identity }) => identity.startedBy));
  emulator.setDelays(FARGATE_DELAYS);

  const over = new AbortController();
  const sightings = membersSeen(installation, over.signal);
  sightings.catch(() => {}); // told below
  setting.say(`  ${CLAIMS} claims …`);
  const claims = await burst(instances).finally(() => over.abort());

  const fromPool: Claim[] = [];
  const waited: Claim[] = [];
  for (const claim of claims) {
    const isMember = members.has(`berth/${await containerOf(claim)}`);
    (isMember ? fromPool : waited).push(claim);
  }
  const lastFromPool = Math.max(...fromPool.map(({ begunAt }) => begunAt));
  const stretches = await sightings;
  return [
    {
      name: 'claims, 200 over 10 s with a pool of 120, that wait for a create when the pool has members',
      unit: 'claims',
      ours: waited.filter(({ begunAt }) => begunAt + APART_MS < lastFromPool).length,
      goal: 0,
    },
    {
      name: 'those claims that found the pool empty, and wait on for a second or more when it has members again',
      unit: 'claims',
      ours: waited.filter((claim) => stretches.some((stretch) => waitsDuring(claim, stretch))).length,
      goal: 0,
    },
    { name: 'those claims that waited for a create', unit: 'claims', ours: waited.length },
    {
      name: 'a command in a new conversation from that pool, p99',
      unit: 'ms',
      ours: percentile(
        fromPool.map(({ ms }) => ms),
        99,
      ),
    },
    {
      name: 'the same where the pool was empty, p99',
      unit: 'ms',
      ours: percentile(
        waited.map(({ ms }) => ms),
        99,
      ),
    },
  ];
}

/** Each begins at its time, whether those before are over or not. Resolves once all have their container. */
async function burst(runtimes: RuntimeProcess[]): Promise<Claim[]> {
  const started = performance.now();
  const claims: Promise<Claim>[] = [];
  for (let index = 0; index < CLAIMS; index += 1) {
    await sleep(Math.max(0, started + (index * OVER_MS) / CLAIMS - performance.now()));
    const claim = begin(must(runtimes[index % runtimes.length]));
    claim.catch(() => {}); // told below, once all are over
    claims.push(claim);
  }
  await Promise.allSettled(claims);
  return Promise.all(claims);
}

async function begin(runtime: RuntimeProcess): Promise<Claim> {
  const conversation = randomUUID();
  const begunAt = performance.now();
  const ms = await timed(() => runCommand(runtime, conversation));
  return { conversation, runtime, begunAt, ms };
}

interface Stretch {
  from: number;
  to: number;
}

/** From when to when the pool was seen to have members, whenever looked at. */
async function membersSeen(installation: EcsInstallation, until: AbortSignal): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  let current: Stretch | undefined;
  while (!until.aborted) {
    const at = performance.now();
    if ((await installation.pool()).size === 0) {
      current = undefined;
    } else if (current === undefined) {
      current = { from: at, to: at };
      stretches.push(current);
    } else {
      current.to = at;
    }
    await sleep(LOOK_MS);
  }
  return stretches;
}

function waitsDuring({ begunAt, ms }: Claim, { from, to }: Stretch): boolean {
  return Math.min(begunAt + ms, to) - Math.max(begunAt, from) >= APART_MS;
}

async function containerOf({ runtime, conversation }: Claim): Promise<string> {
  const answer = await runtime.fetch(`/v1/conversations/${conversation}`);
  const { container_id } = (await answer.json()) as { container_id?: string }; // the cast: as the API says
  return must(container_id);
}
