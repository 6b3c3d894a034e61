import {
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  type ECSClient,
  ListTaskDefinitionFamiliesCommand,
  ListTaskDefinitionsCommand,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  type TaskDefinition,
} from '@aws-sdk/client-ecs';
import { saidBy, troubleOf } from './aws-failure.ts';
import { CALL, PatientCalls } from './patient-calls.ts';

/** Of all instances together. */
const RATES = {
  DescribeTaskDefinition: { burst: 40, perSecond: 8 },
  ListTaskDefinitionFamilies: { burst: 40, perSecond: 8 },
  ListTaskDefinitions: { burst: 40, perSecond: 8 },
  RegisterTaskDefinition: { burst: 16, perSecond: 0.8 },
  DeregisterTaskDefinition: { burst: 16, perSecond: 0.8 },
};

const PAGE = 100;

export interface Described {
  definition: TaskDefinition;
  tags: ReadonlyMap<string, string>;
}

/** The calls of ECS that are about task definitions. */
export class DefinitionApi {
  readonly #ecs: ECSClient;
  readonly #calls: PatientCalls<keyof typeof RATES>;

  constructor(ecs: ECSClient, instances: number) {
    this.#ecs = ecs;
    this.#calls = new PatientCalls('ECS', RATES, instances);
  }

  /** By family, family:revision or ARN. Undefined: there is none that is active. */
  async describe(name: string): Promise<Described | undefined> {
    const found = await this.find(name);
    return found?.definition.status === 'ACTIVE' ? found : undefined;
  }

  /** Also one that is no longer active. */
  async find(name: string): Promise<Described | undefined> {
    const command = new DescribeTaskDefinitionCommand({ taskDefinition: name, include: ['TAGS'] });
    try {
      const { taskDefinition, tags = [] } = await this.#calls.call('DescribeTaskDefinition', CALL, () =>
        this.#ecs.send(command),
      );
      if (taskDefinition === undefined) return undefined;
      const pairs = tags.map(({ key = '', value = '' }) => [key, value] as const);
      return { definition: taskDefinition, tags: new Map(pairs) };
    } catch (error) {
      if (troubleOf(error instanceof Error ? error.cause : error) === 'refused') return undefined;
      throw error;
    }
  }

  /** Undefined: this role may not ask. */
  async has(name: string): Promise<boolean | undefined> {
    try {
      return (await this.describe(name)) !== undefined;
    } catch (error) {
      if (troubleOf(error instanceof Error ? error.cause : error) === 'denied') return undefined;
      throw error;
    }
  }

  /** Its ARN. */
  async register(input: RegisterTaskDefinitionCommandInput): Promise<string> {
    const command = new RegisterTaskDefinitionCommand(input);
    const { taskDefinition } = await this.#calls.call('RegisterTaskDefinition', CALL, () =>
      this.#ecs.send(command),
    );
    return taskDefinition?.taskDefinitionArn ?? '';
  }

  /** One that is not known any more: fine. */
  async deregister(arn: string): Promise<void> {
    const command = new DeregisterTaskDefinitionCommand({ taskDefinition: arn });
    try {
      await this.#calls.call('DeregisterTaskDefinition', CALL, () => this.#ecs.send(command));
    } catch (error) {
      if (saidBy(error).name !== 'ClientException') throw error;
    }
  }

  /** The ARNs of all active ones of a family: AWS calls it a prefix, and takes it for the whole name. */
  list(family: string): Promise<string[]> {
    return pages(async (nextToken) => {
      const wanted = { familyPrefix: family, status: 'ACTIVE', maxResults: PAGE, ...nextToken } as const;
      const command = new ListTaskDefinitionsCommand(wanted);
      const page = await this.#calls.call('ListTaskDefinitions', CALL, () => this.#ecs.send(command));
      return { found: page.taskDefinitionArns, nextToken: page.nextToken };
    });
  }

  /** The names of all that begin so and have an active one. */
  families(familyPrefix: string): Promise<string[]> {
    return pages(async (nextToken) => {
      const wanted = { familyPrefix, status: 'ACTIVE', maxResults: PAGE, ...nextToken } as const;
      const command = new ListTaskDefinitionFamiliesCommand(wanted);
      const page = await this.#calls.call('ListTaskDefinitionFamilies', CALL, () => this.#ecs.send(command));
      return { found: page.families, nextToken: page.nextToken };
    });
  }
}

interface Page {
  found: string[] | undefined;
  nextToken: string | undefined;
}

async function pages(read: (from: { nextToken?: string }) => Promise<Page>): Promise<string[]> {
  const all: string[] = [];
  let from: { nextToken?: string } = {};
  for (;;) {
    const { found = [], nextToken } = await read(from);
    all.push(...found);
    if (nextToken === undefined) return all;
    from = { nextToken };
  }
}
