import { randomUUID } from 'node:crypto';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { FARGATE_DELAYS, NO_DELAYS } from '../support/ecs-emulator/tasks/task-delays.ts';
import { must } from '../support/must.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';
import type { BenchSetting } from './bench-setting.ts';
import { EcsInstallation, POLL_SECONDS, runCommand } from './ecs-installation.ts';
import type { Figure } from './figure.ts';

/** A task starts within 3 to 4.5 s of the wall's clock; the runtime looks after 2 s of ECS' clock, as it does on AWS. */
const SPEED = 10;
const POOL = 50;
const TASKS = 500;
/** An instance keeps to a rate of RunTask: three have the tasks sooner. */
const MAKERS = 3;
const CLAIMS = 50;

/** The calls of ECS that a pool, a sweep and conversations from the pool lead to. Counts, whatever the machine does. */
export async function ecsCalls(setting: BenchSetting): Promise<Figure[]> {
  await using installation = await EcsInstallation.open(setting, { speed: SPEED, delays: FARGATE_DELAYS });
  const { emulator } = installation;
  const [maker] = await installation.start(1);
  const first = must(maker);
  const pool = await smallPool(installation);

  emulator.setDelays(NO_DELAYS); // from here on only calls count
  await installation.start(MAKERS - 1);
  setting.say(`  ${TASKS} tasks …`);
  await installation.fillPool(TASKS);
  const runs = emulator.calls.count('RunTask');

  // What is claimed is not made up for: nothing but the claims themselves could call ECS.
  await installation.sizePool({ min: 0, max: TASKS });
  const here = await callsOfClaims(emulator, first);
  const [other] = await installation.start(1);
  const there = await callsOfClaims(emulator, must(other));

  emulator.calls.clear();
  await sweep(first);
  return [
    ...pool,
    {
      name: 'RunTask calls for a pool of 500, made by three instances',
      unit: 'calls',
      ours: runs,
      goal: TASKS,
    },
    {
      name: 'calls of ECS for 50 conversations from the pool and 100 commands, by an instance that made members',
      unit: 'calls',
      ours: here,
      goal: 0,
    },
    { name: 'the same by an instance that made none', unit: 'calls', ours: there, goal: 0 },
    {
      name: 'ListTasks calls of a sweep over 500 tasks',
      unit: 'calls',
      ours: emulator.calls.count('ListTasks'),
      goal: 5,
    },
    {
      name: 'DescribeTasks calls of a sweep over 500 tasks',
      unit: 'calls',
      ours: emulator.calls.count('DescribeTasks'),
      goal: 5,
    },
  ];
}

/** From the first RunTask to the last look at a task, by ECS' clock. */
async function smallPool(installation: EcsInstallation): Promise<Figure[]> {
  const { calls } = installation.emulator;
  calls.clear();
  await installation.fillPool(POOL);
  const looks = calls.of('DescribeTasks');
  const ms = must(looks.at(-1)).at - must(calls.of('RunTask')[0]).at;
  return [
    {
      name: 'RunTask calls for a pool of 50 from nothing',
      unit: 'calls',
      ours: calls.count('RunTask'),
      goal: POOL,
    },
    {
      name: 'DescribeTasks calls meanwhile',
      unit: 'calls',
      ours: looks.length,
      reference: { name: "one every 2 s by ECS' clock", value: 1 + Math.floor(ms / 1000 / POLL_SECONDS) },
      goal: 1,
    },
  ];
}

async function callsOfClaims({ calls }: EcsEmulator, runtime: RuntimeProcess): Promise<number> {
  calls.clear();
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    const conversation = randomUUID();
    await runCommand(runtime, conversation);
    await runCommand(runtime, conversation);
  }
  const warm = await acquiredWarm(runtime);
  if (warm !== CLAIMS) throw new Error(`${warm} of ${CLAIMS} containers came from the pool`);
  return calls.all.length;
}

async function acquiredWarm(runtime: RuntimeProcess): Promise<number> {
  const metrics = await (await runtime.fetch('/metrics')).text();
  return Number(/^workspace_acquire_seconds_count\{source="warm"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

async function sweep(runtime: RuntimeProcess): Promise<void> {
  const answer = await runtime.post('/v1/sweep', {});
  const report = (await answer.json()) as { listed?: number; marked?: number }; // the cast: as the API says
  if (report.listed !== TASKS || report.marked !== 0)
    throw new Error(`the sweep did not find ${TASKS} tasks in order: ${JSON.stringify(report)}`);
}
