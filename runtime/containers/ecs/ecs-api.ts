import {
  CloudWatchLogsClient,
  type CloudWatchLogsClientConfig,
  GetLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeTasksCommand,
  ECSClient,
  type ECSClientConfig,
  type Failure,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs';
import { saidBy } from './aws-failure.ts';
import { DefinitionApi } from './definition-api.ts';
import { CALL, CLIENT, ONCE, type Patience, PatientCalls } from './patient-calls.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

/** Of all instances together, each of which has its part. With the looks they stay within what AWS allows an account. */
const RATES = {
  RunTask: { burst: 80, perSecond: 20 }, // as Fargate starts tasks; the call itself may come twice as often
  StopTask: { burst: 80, perSecond: 32 },
  DescribeTasks: { burst: 40, perSecond: 8 },
  ListTasks: { burst: 40, perSecond: 8 },
  GetLogEvents: { burst: 20, perSecond: 20 },
} as const satisfies Record<string, Rate>;

/** Of a look at all tasks, both of its calls. Two instances make such looks at most: whoever leads health, or the sweep. */
const LOOK: Rate = { burst: 30, perSecond: 6 };

const PAGE = 100;

export interface Started {
  tasks: Task[];
  failures: Failure[];
  /** This token was used with other parameters, for these tasks. */
  existing?: string[];
}

/** Which of the tasks that are to run; all unless said. */
export type Which = { startedBy: string } | { family: string };

export interface EcsApiOptions {
  cluster: string;
  /** How many share the account's rates. */
  instances: number;
}

/** The calls of ECS that we make, each at its rate, and again with growing pauses while AWS says "later". */
export class EcsApi {
  readonly #cluster: string;
  readonly #ecs: ECSClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #calls: PatientCalls<keyof typeof RATES>;
  readonly definitions: DefinitionApi;
  readonly #looks = { ListTasks: new TokenBucket(LOOK), DescribeTasks: new TokenBucket(LOOK) };

  constructor(
    { cluster, instances }: EcsApiOptions,
    config: ECSClientConfig & CloudWatchLogsClientConfig = {},
  ) {
    this.#cluster = cluster;
    this.#ecs = new ECSClient({ ...CLIENT, ...config });
    this.#logs = new CloudWatchLogsClient({ ...CLIENT, ...config });
    this.#calls = new PatientCalls('ECS', RATES, instances);
    this.definitions = new DefinitionApi(this.#ecs, instances);
  }

  /** Never broken off half way: what it started would be nobody's. The signal ends the waiting between two calls. */
  async runTask(input: Omit<RunTaskCommandInput, 'cluster'>, patience: Patience): Promise<Started> {
    const command = new RunTaskCommand({ ...input, cluster: this.#cluster });
    try {
      const send = () => this.#ecs.send(command);
      const { tasks = [], failures = [] } = await this.#calls.call('RunTask', patience, send);
      return { tasks, failures };
    } catch (error) {
      const { name, resourceIds = [] } = saidBy(error);
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
      await this.#calls.call('StopTask', CALL, () => this.#ecs.send(command));
    } catch (error) {
      const said = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
      if (said?.name !== 'InvalidParameterException' || !/not found/i.test(said.message)) throw error;
    }
  }

  /** With their tags, those that ECS shows. At most 100. */
  describe(arns: string[], { once = false } = {}): Promise<Task[]> {
    return this.#describe(arns, once ? ONCE : CALL, this.#calls.buckets.DescribeTasks);
  }

  /** Every task that is to run, or some of them, described. */
  async liveTasks(which?: Which): Promise<Task[]> {
    const buckets = which === undefined ? this.#looks : this.#calls.buckets;
    const tasks: Task[] = [];
    for await (const arns of this.#pages(which, buckets.ListTasks)) {
      tasks.push(...(await this.#describe(arns, CALL, buckets.DescribeTasks)));
    }
    return tasks;
  }

  async ping(): Promise<void> {
    const command = new ListTasksCommand({ cluster: this.#cluster, maxResults: 1 });
    await this.#calls.call('ListTasks', ONCE, () => this.#ecs.send(command));
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
      const { events = [] } = await this.#calls.call('GetLogEvents', CALL, () => this.#logs.send(command));
      return events.map(({ message = '' }) => message);
    } catch (error) {
      const { name } = saidBy(error);
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
    const { tasks = [] } = await this.#calls.call('DescribeTasks', patience, send, bucket);
    return tasks;
  }

  async *#pages(which: Which | undefined, bucket: TokenBucket): AsyncGenerator<string[]> {
    let nextToken: string | undefined;
    do {
      const command = new ListTasksCommand({
        cluster: this.#cluster,
        maxResults: PAGE,
        ...which,
        ...(nextToken !== undefined && { nextToken }),
      });
      const page = await this.#calls.call('ListTasks', CALL, () => this.#ecs.send(command), bucket);
      yield page.taskArns ?? [];
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }
}
