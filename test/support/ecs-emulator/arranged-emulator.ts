import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeTasksCommand,
  ECSClient,
  type ECSServiceException,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  RunTaskCommand,
  type RunTaskCommandInput,
  type Task,
} from '@aws-sdk/client-ecs';
import { vi } from 'vitest';
import { must } from '../must.ts';
import { EcsEmulator, type EmulatorOptions } from './ecs-emulator.ts';
import { stubBacking } from './stub/stub-backing.ts';
import type { TaskStatus } from './tasks/task-status.ts';

export const CLUSTER = 'berth';

/** The least that Fargate takes: one container, `app`. */
export function smallDefinition(
  changes: Partial<RegisterTaskDefinitionCommandInput> = {},
): RegisterTaskDefinitionCommandInput {
  return {
    family: 'small',
    networkMode: 'awsvpc',
    requiresCompatibilities: ['FARGATE'],
    cpu: '256',
    memory: '512',
    containerDefinitions: [{ name: 'app', image: 'app' }],
    ...changes,
  };
}

/** An emulator for a test, with the SDK's real clients; they don't retry. Its stubs do nothing unless said. */
export class ArrangedEmulator implements AsyncDisposable {
  readonly emulator: EcsEmulator;
  readonly ecs: ECSClient;
  readonly logs: CloudWatchLogsClient;

  private constructor(emulator: EcsEmulator) {
    this.emulator = emulator;
    const settings = {
      endpoint: emulator.url,
      region: emulator.region,
      credentials: { accessKeyId: 'test', secretAccessKey: 'not-checked' },
      maxAttempts: 1,
    };
    this.ecs = new ECSClient(settings);
    this.logs = new CloudWatchLogsClient(settings);
  }

  static async start(options: Partial<EmulatorOptions> = {}): Promise<ArrangedEmulator> {
    const backing = stubBacking({ startAgent: () => undefined });
    return new ArrangedEmulator(await EcsEmulator.start({ backing, clusters: [CLUSTER], ...options }));
  }

  async register(changes?: Partial<RegisterTaskDefinitionCommandInput>): Promise<string> {
    const { taskDefinition } = await this.ecs.send(
      new RegisterTaskDefinitionCommand(smallDefinition(changes)),
    );
    return must(taskDefinition?.taskDefinitionArn);
  }

  /** What RunTask is called with, unless changed. */
  runInput(changes: Partial<RunTaskCommandInput> = {}): RunTaskCommandInput {
    return {
      cluster: CLUSTER,
      taskDefinition: 'small',
      launchType: 'FARGATE',
      networkConfiguration: {
        awsvpcConfiguration: {
          subnets: [...this.emulator.subnets],
          securityGroups: [...this.emulator.securityGroups],
          assignPublicIp: 'DISABLED',
        },
      },
      ...changes,
    };
  }

  /** Starts one task; returns its ARN. */
  async run(changes?: Partial<RunTaskCommandInput>): Promise<string> {
    const { tasks, failures } = await this.ecs.send(new RunTaskCommand(this.runInput(changes)));
    if (failures?.length !== 0) throw new Error(`RunTask failed: ${JSON.stringify(failures)}`);
    return must(tasks?.[0]?.taskArn);
  }

  /** Waits for the status; returns the task as the API describes it then. */
  async reached(arn: string, status: TaskStatus, timeout = 20_000): Promise<Task> {
    return vi.waitFor(
      async () => {
        const now = must(this.emulator.tasks.find((task) => task.arn === arn));
        if (now.status !== status) {
          throw new Error(`The task is ${now.status}, not ${status}: ${JSON.stringify(now.stop)}`);
        }
        return this.describe(arn);
      },
      { timeout, interval: 5 },
    );
  }

  async describe(arn: string): Promise<Task> {
    const { tasks } = await this.ecs.send(
      new DescribeTasksCommand({ cluster: CLUSTER, tasks: [arn], include: ['TAGS'] }),
    );
    return must(tasks?.[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ecs.destroy();
    this.logs.destroy();
    await this.emulator.close();
  }
}

/** What a call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<ECSServiceException> {
  try {
    await call;
  } catch (error) {
    return error as ECSServiceException; // the tests look at what it says
  }
  throw new Error('The call was not refused.');
}
