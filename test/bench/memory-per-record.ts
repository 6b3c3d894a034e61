import { createHash, randomUUID } from 'node:crypto';
import {
  type ContainerId,
  type ConversationId,
  conversationContainerId,
  type ExecutionId,
  executionId,
  executionWork,
  parseConversationId,
  parseTenantId,
  workId,
} from '../../runtime/contracts/ids.ts';
import { openRedisState } from '../../runtime/state/redis/open-redis-state.ts';
import { redisKeys } from '../../runtime/state/redis/redis-keys.ts';
import type { State } from '../../runtime/state/state.ts';
import { must } from '../support/must.ts';
import type { BenchSetting } from './bench-setting.ts';
import { CountingRedis } from './counting-redis.ts';
import type { Figure } from './figure.ts';

const MANY = 10_000;
const AT_ONCE = 100;
const EVENT_BYTES = 4096;
const EVENTS = 4;
const TTL = { idleSeconds: 3600, maxLifetimeSeconds: 28_800 };
const OWNER = randomUUID();
const LEASE = { owner: OWNER, leaseSeconds: 30 };
const TASK = 'arn:aws:ecs:us-east-1:123456789012:task/agents';
const tenant = must(parseTenantId('bench'));

interface Conversation {
  conversation: ConversationId;
  container: ContainerId;
  execution: ExecutionId;
}

/** What Redis takes for a conversation on ECS, by what happens to it: of 10,000, each in the same state. */
export async function memoryPerRecord(setting: BenchSetting): Promise<Figure[]> {
  await using redis = await CountingRedis.start(setting);
  const state = openRedisState({
    url: redis.url,
    keyPrefix: '',
    maxLifetimeSeconds: TTL.maxLifetimeSeconds,
  });
  try {
    await state.adoption.complete(must(await state.adoption.needed()));
    const conversations = all(MANY);
    const bytesOf = async (action: () => Promise<unknown>): Promise<number> => {
      const before = await redis.memory();
      await action();
      return ((await redis.memory()) - before) / MANY;
    };
    const step = (of: (state: State, each: Conversation) => Promise<unknown>) =>
      bytesOf(() => toAll(conversations, (each) => of(state, each)));
    const idle = await step(becomeIdle);
    const running = await step(execute);
    const logged = (await step(log)) + (await step(end));
    const events = -(await bytesOf(() => redis.forget(`${redisKeys('').events}*`)));
    const warm = await step(addWarm);
    const figure = (name: string, ours: number): Figure => ({
      name: `Redis memory of ${name}, of 10,000`,
      unit: 'bytes',
      ours,
    });
    return [
      figure('an idle conversation on ECS', idle),
      figure('an execution that runs', running),
      {
        ...figure('the log of 16 KiB of events', events),
        reference: { name: 'the bytes themselves', value: EVENTS * EVENT_BYTES },
      },
      figure('an execution that has ended, without its log', running + logged - events),
      figure('a member of the warm pool on ECS', warm),
    ];
  } finally {
    await state.close();
  }
}

function all(count: number): Conversation[] {
  return Array.from({ length: count }, () => ({
    conversation: must(parseConversationId(randomUUID())),
    container: conversationContainerId(randomUUID()),
    execution: executionId(randomUUID().replaceAll('-', '').slice(0, 24)),
  }));
}

async function toAll(
  conversations: Conversation[],
  step: (each: Conversation) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < conversations.length; at += AT_ONCE)
    await Promise.all(conversations.slice(at, at + AT_ONCE).map(step));
}

/** Prepared, used once, and saved: with its task, and its egress settings known to be none. */
async function becomeIdle(state: State, { conversation, container }: Conversation): Promise<void> {
  const { conversations: store } = state;
  const work = { id: workId('exec', randomUUID()), leaseSeconds: 30, ttl: TTL };
  const incarnation = { tenant, conversation, container };
  const request = { tenant, conversation, newContainer: container, manager: 'ecs', maxContainers: 100_000 };
  is('reserved', (await store.acquire({ ...request, ...LEASE, work })).kind);
  await place(state, container);
  is('done', await store.bind({ ...incarnation, ...LEASE }));
  is('live', (await store.confirm({ ...incarnation, owner: OWNER, ttl: TTL, work })).kind);
  is(
    'done',
    await store.saved({ ...incarnation, version: createHash('md5').update(container).digest('hex') }),
  );
  is('done', await store.endWork({ ...incarnation, work: work.id, ttl: TTL }));
  await state.egressSettings.fill({ tenant, conversation }, '');
}

async function execute({ conversations: store }: State, each: Conversation): Promise<void> {
  const { conversation, container, execution: id } = each;
  const work = {
    id: executionWork(id),
    leaseSeconds: 660,
    ttl: TTL,
    execution: {
      id,
      bodyHash: createHash('sha256').update(id).digest('hex'),
      seconds: 600,
      onDisconnect: 'continue' as const,
      relay: OWNER,
      relaySeconds: 600,
    },
  };
  const request = { tenant, conversation, newContainer: container, manager: 'ecs', maxContainers: 100_000 };
  is('live', (await store.acquire({ ...request, ...LEASE, work })).kind);
}

async function log({ executions }: State, { conversation, execution }: Conversation): Promise<void> {
  const relay = { tenant, conversation, execution, relay: OWNER, leaseSeconds: 600 };
  for (let after = 0; after < EVENTS; after += 1) {
    const frames = Buffer.alloc(EVENT_BYTES, 'x');
    const entries = [{ first: after + 1, last: after + 1, frames }];
    is('done', await executions.append({ ...relay, after, agentSeq: after + 1, offset: 0, entries }));
  }
}

async function end({ executions }: State, { conversation, execution }: Conversation): Promise<void> {
  const request = { tenant, conversation, execution, relay: OWNER, ttl: TTL };
  is('done', await executions.finish({ ...request, status: 'completed', entries: [] }));
}

async function addWarm(state: State): Promise<void> {
  const container = conversationContainerId(randomUUID());
  const { warmPool } = state;
  is('reserved', await warmPool.reserve({ container, ...LEASE, most: 100_000, maxContainers: 100_000 }));
  await place(state, container);
  is('done', await warmPool.add({ container, owner: OWNER, image: `${TASK}-definition:7`, manager: 'ecs' }));
}

async function place({ tasks }: State, container: ContainerId): Promise<void> {
  await tasks.put(container, {
    arn: `${TASK}/${randomUUID().replaceAll('-', '')}`,
    address: '10.20.100.200',
  });
}

function is(wanted: string, outcome: string): void {
  if (outcome !== wanted) throw new Error(`the store said ${outcome}, not ${wanted}`);
}
