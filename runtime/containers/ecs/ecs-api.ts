import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  type CloudWatchLogsClientConfig,
  GetLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ECSClient,
  type ECSClientConfig,
  type Failure,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
  type TaskDefinition,
} from '@aws-sdk/client-ecs';
import { asBerthError, shapeOf, troubleOf } from './ecs-failure.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

/** Of all instances together, each of which has its part. With the looks they stay within what AWS allows an account. */
const RATES = {
  RunTask: { burst: 80, perSecond: 20 }, // as Fargate starts tasks; the call itself may come twice as often
  StopTask: { burst: 80, perSecond: 32 },
  DescribeTasks: { burst: 40, perSecond: 8 },
  ListTasks: { burst: 40, perSecond: 8 },
  DescribeTaskDefinition: { burst: 40, perSecond: 8 },
  GetLogEvents: { burst: 20, perSecond: 20 },
} as const satisfies Record<string, Rate>;

/** Of a look at all tasks, both of its calls. Two instances make such looks at most: whoever leads health, or the sweep. */
const LOOK: Rate = { burst: 30, perSecond: 6 };

type Operation = keyof typeof RATES;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
const PAGE = 100;

export interface Started {
  tasks: Task[];
  failures: Failure[];
  /** This token was used with other parameters, for these tasks. */
  existing?: string[];
}

interface Patience {
  /** How long a call that AWS can't take now is tried again. */
  seconds: number;
  signal?: AbortSignal;
}

export interface EcsApiOptions {
  cluster: string;
  /** How many share the account's rates. */
  instances: number;
}

const CALL: Patience = { seconds: 20 };
const ONCE: Patience = { seconds: 0 };

/** The calls of ECS that we make, each at its rate, and again with growing pauses while AWS says "later". */
export class EcsApi {
  readonly #cluster: string;
  readonly #ecs: ECSClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #buckets: Record<Operation, TokenBucket>;
  readonly #looks = { ListTasks: new TokenBucket(LOOK), DescribeTasks: new TokenBucket(LOOK) };

  constructor(
    { cluster, instances }: EcsApiOptions,
    config: ECSClientConfig & CloudWatchLogsClientConfig = {},
  ) {
    this.#cluster = cluster;
    const ours = { maxAttempts: 1, requestHandler: { connectionTimeout: 3000, requestTimeout: 20_000 } };
    this.#ecs = new ECSClient({ ...ours, ...config });
    this.#logs = new CloudWatchLogsClient({ ...ours, ...config });
    this.#buckets = Object.fromEntries(
      Object.entries(RATES).map(([operation, rate]) => [operation, new TokenBucket(part(rate, instances))]),
    ) as Record<Operation, TokenBucket>; // the cast: made from the table's own keys
  }

  /** Never broken off half way: what it started would be nobody's. The signal ends the waiting between two calls. */
  async runTask(input: Omit<RunTaskCommandInput, 'cluster'>, patience: Patience): Promise<Started> {
    const command = new RunTaskCommand({ ...input, cluster: this.#cluster });
    try {
      const { tasks = [], failures = [] } = await this.#call('RunTask', patience, () =>
        this.#ecs.send(command),
      );
      return { tasks, failures };
    } catch (error) {
      const { name, resourceIds = [] } = shapeOf(error instanceof Error ? error.cause : error);
      if (name === 'ConflictException' && resourceIds.length > 0) {
        return { tasks: [], failures: [], existing: resourceIds };
      }
      throw error;
    }
  }

  /** One that is not known any more: fine. */
  async stopTask(arn: string, reason: string): Promise<void> {
    const command = new StopTaskCommand({ cluster: this.#cluster, task: arn, reason });
    try {
      await this.#call('StopTask', CALL, () => this.#ecs.send(command));
    } catch (error) {
      const said = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
      if (said?.name !== 'InvalidParameterException' || !/not found/i.test(said.message)) throw error;
    }
  }

  /** With their tags, those that ECS shows. At most 100. */
  describe(arns: string[], { once = false } = {}): Promise<Task[]> {
    return this.#describe(arns, once ? ONCE : CALL, this.#buckets.DescribeTasks);
  }

  /** Every task that is to run, or those that were started by this name, described. */
  async liveTasks(startedBy?: string): Promise<Task[]> {
    const buckets = startedBy === undefined ? this.#looks : this.#buckets;
    const tasks: Task[] = [];
    for await (const arns of this.#pages(startedBy, buckets.ListTasks)) {
      tasks.push(...(await this.#describe(arns, CALL, buckets.DescribeTasks)));
    }
    return tasks;
  }

  async ping(): Promise<void> {
    const command = new ListTasksCommand({ cluster: this.#cluster, maxResults: 1 });
    await this.#call('ListTasks', ONCE, () => this.#ecs.send(command));
  }

  /** Undefined: this role may not ask. */
  async hasTaskDefinition(name: string): Promise<boolean | undefined> {
    try {
      return (await this.taskDefinition(name))?.status === 'ACTIVE';
    } catch (error) {
      if (troubleOf(error instanceof Error ? error.cause : error) === 'denied') return undefined;
      throw error;
    }
  }

  /** Also one that is no longer active. Undefined: there is none. */
  async taskDefinition(name: string): Promise<TaskDefinition | undefined> {
    const command = new DescribeTaskDefinitionCommand({ taskDefinition: name });
    try {
      const { taskDefinition } = await this.#call('DescribeTaskDefinition', CALL, () =>
        this.#ecs.send(command),
      );
      return taskDefinition;
    } catch (error) {
      if (troubleOf(error instanceof Error ? error.cause : error) === 'refused') return undefined;
      throw error;
    }
  }

  /** The last lines of a stream; none where there is no such stream yet. */
  async lastLines(group: string, stream: string, limit: number): Promise<string[]> {
    const command = new GetLogEventsCommand({
      logGroupName: group,
      logStreamName: stream,
      limit,
      startFromHead: false,
    });
    try {
      const { events = [] } = await this.#call('GetLogEvents', CALL, () => this.#logs.send(command));
      return events.map(({ message = '' }) => message);
    } catch (error) {
      const { name } = shapeOf(error instanceof Error ? error.cause : error);
      if (name === 'ResourceNotFoundException') return [];
      throw error;
    }
  }

  close(): void {
    this.#ecs.destroy();
    this.#logs.destroy();
  }

  async #describe(arns: string[], patience: Patience, bucket: TokenBucket): Promise<Task[]> {
    if (arns.length === 0) return [];
    const command = new DescribeTasksCommand({ cluster: this.#cluster, tasks: arns, include: ['TAGS'] });
    const send = () => this.#ecs.send(command);
    const { tasks = [] } = await this.#call('DescribeTasks', patience, send, bucket);
    return tasks;
  }

  async *#pages(startedBy: string | undefined, bucket: TokenBucket): AsyncGenerator<string[]> {
    let nextToken: string | undefined;
    do {
      const command = new ListTasksCommand({
        cluster: this.#cluster,
        maxResults: PAGE,
        ...(startedBy !== undefined && { startedBy }),
        ...(nextToken !== undefined && { nextToken }),
      });
      const page = await this.#call('ListTasks', CALL, () => this.#ecs.send(command), bucket);
      yield page.taskArns ?? [];
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }

  /** Throws in our words; the error of the SDK is the cause. */
  async #call<T>(
    operation: Operation,
    { seconds, signal }: Patience,
    send: () => Promise<T>,
    bucket = this.#buckets[operation],
  ): Promise<T> {
    const until = performance.now() + seconds * 1000;
    for (let attempt = 0; ; attempt += 1) {
      await bucket.pass(signal);
      try {
        return await send();
      } catch (error) {
        const trouble = troubleOf(error);
        const waitMs = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt + 1));
        const again = trouble === 'throttled' || trouble === 'unavailable';
        if (!again || performance.now() + waitMs > until) throw asBerthError(operation, error);
        await sleep(waitMs, undefined, signal === undefined ? {} : { signal });
      }
    }
  }
}

function part({ burst, perSecond }: Rate, instances: number): Rate {
  return { burst: Math.max(1, burst / instances), perSecond: perSecond / instances };
}
