import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTasksCommand, ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { activeFamilies, deregister } from './revisions.mjs';

// A Lambda function: ends every task of an installation when the platform is destroyed, by one last task of the
// runtime, and deregisters old revisions of task definitions. Its SDK is the one that Lambda's Node has.

const STARTED_BY = 'berth-sweeper';
/** What the tasks of containers are started by begins with. */
const CONTAINER = 'berth/';
const POLL_MS = 5_000;
/** A function has 15 minutes at most. */
const GIVE_UP_MS = 14 * 60_000;

/** Deregistering is slowed down to about one in a second. */
const client = () => new ECSClient({ retryMode: 'adaptive', maxAttempts: 20 });

/**
 * What Lambda enters: `event` is a `SweepOrder` or a `RevisionsOrder`, and `tf` says what is done to the resource behind
 * it. Of the first only its deletion does anything, of the second only a change.
 */
export function handler(event) {
  return 'revisions' in event ? replaced(event) : destroyed(event);
}

async function destroyed(event) {
  if (event.tf?.action !== 'delete') return { swept: false };
  const ecs = client();
  const giveUp = performance.now() + GIVE_UP_MS;
  await sweep(ecs, event, { pollMs: POLL_MS, giveUpMs: GIVE_UP_MS });
  const ofWorkspaces = await activeFamilies(ecs, event.workspaceFamilies);
  const families = [...event.families, ...ofWorkspaces];
  await deregister(ecs, { families, kept: [], giveUpMs: giveUp - performance.now() });
  return { swept: true };
}

/** What the deployment before was made of stays: whoever of it is just ending may still name it. */
async function replaced({ families, revisions, tf }) {
  const before = tf?.prev_input?.revisions;
  if (tf?.action !== 'update' || before === undefined) return { deregistered: [] };
  return { deregistered: await deregister(client(), { families, kept: [...revisions, ...before] }) };
}

/**
 * Runs that task to its end, where a container lives, or a home is that is to go. One that an earlier call began is waited for, so that a
 * repeated call is no second one. Throws with what to do where something may be left.
 *
 * @param {ECSClient} ecs
 * @param {import('./index.d.mts').SweepOrder} order
 * @param {{ pollMs: number, giveUpMs: number }} patience
 */
export async function sweep(ecs, order, { pollMs, giveUpMs }) {
  const giveUp = performance.now() + giveUpMs;
  const going = await tasksOf(ecs, order.cluster, order.family);
  if (going.some(({ startedBy }) => startedBy !== STARTED_BY))
    throw new Error(
      `The runtime is still up in ${order.cluster}: nothing was ended. Take its service away first; pulumi destroy does.`,
    );
  // A runtime that can't start is in nobody's way where it has nothing to do.
  if (going.length === 0 && !(await hasContainers(ecs, order.cluster)) && !(await hasHomes(ecs, order)))
    return;
  const arn = going[0]?.taskArn ?? (await run(ecs, order));
  for (;;) {
    const task = await described(ecs, order.cluster, arn);
    if (task.lastStatus === 'STOPPED') return judge(task, order);
    if (performance.now() + pollMs > giveUp)
      throw new Error(`The task ${arn} still saves and ends conversations: run pulumi destroy again.`);
    await sleep(pollMs);
  }
}

async function run(ecs, { cluster, taskDefinition, container, command, subnets, securityGroups }) {
  const { tasks = [], failures = [] } = await ecs.send(
    new RunTaskCommand({
      cluster,
      taskDefinition,
      launchType: 'FARGATE',
      startedBy: STARTED_BY,
      clientToken: randomUUID(), // what the SDK repeats is one task
      networkConfiguration: {
        awsvpcConfiguration: { subnets, securityGroups, assignPublicIp: 'DISABLED' },
      },
      overrides: { containerOverrides: [{ name: container, command }] },
    }),
  );
  const arn = tasks[0]?.taskArn;
  if (arn !== undefined) return arn;
  const reasons = failures.map(({ reason, detail }) => detail ?? reason).join(', ');
  throw new Error(
    `No task could be started to end conversations (${reasons}): nothing was ended. Run pulumi destroy again.`,
  );
}

/** Whether a task of a conversation, or of a workspace, lives: each is started by the runtime, and says so. */
async function hasContainers(ecs, cluster) {
  let nextToken;
  do {
    const page = await ecs.send(new ListTasksCommand({ cluster, nextToken }));
    const tasks = await living(ecs, cluster, page.taskArns);
    if (tasks.some(({ startedBy }) => startedBy?.startsWith(CONTAINER))) return true;
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return false;
}

/** Whether a home is to go. One that sleeps has no task, but what its tasks are made of. */
async function hasHomes(ecs, { purge, workspaceFamilies }) {
  return purge && (await activeFamilies(ecs, workspaceFamilies)).length > 0;
}

/** Those of a family that have not stopped, or the first of many. */
async function tasksOf(ecs, cluster, family) {
  const { taskArns } = await ecs.send(new ListTasksCommand({ cluster, family }));
  return living(ecs, cluster, taskArns);
}

async function living(ecs, cluster, tasks = []) {
  if (tasks.length === 0) return [];
  const answer = await ecs.send(new DescribeTasksCommand({ cluster, tasks }));
  return (answer.tasks ?? []).filter(({ lastStatus }) => lastStatus !== 'STOPPED');
}

/** One that was just started may not be known yet. */
async function described(ecs, cluster, arn) {
  const { tasks = [] } = await ecs.send(new DescribeTasksCommand({ cluster, tasks: [arn] }));
  return tasks[0] ?? { lastStatus: 'PROVISIONING' };
}

function judge(
  { taskArn, containers = [], stoppedReason },
  { container, logGroup, purge, workspaceFamilies },
) {
  const ended = containers.find(({ name }) => name === container);
  if (ended?.exitCode === 0) return;
  const how =
    ended?.exitCode === undefined ? 'ended before its program did' : `ended with exit code ${ended.exitCode}`;
  const homes = purge
    ? ` Homes of workspaces are looked for as long as task definitions of theirs are active: ${workspaceFamilies}*.`
    : '';
  throw new Error(
    `Conversations are left: the task ${taskArn} ${how} (${ended?.reason ?? stoppedReason ?? 'no reason given'}). ` +
      `Its log in ${logGroup} tells which could not be saved. Run pulumi destroy again; to give up their files, stop ` +
      `their tasks first.${homes}`,
  );
}
