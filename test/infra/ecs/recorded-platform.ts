import type { ContainerDefinition } from '../../../infra/ecs/container-definition.ts';
import { EcsPlatform } from '../../../infra/ecs/ecs-platform.ts';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { type Config, VARIABLES } from '../../../runtime/contracts/environment.ts';
import { loadConfig } from '../../../runtime/contracts/load-config.ts';
import { type RegisteredWithOptions, registry } from '../registered.ts';
import { SECRET_KEY } from '../secret-marks.ts';
import { type Aws, CERTIFICATE, registering, rulesTwice } from './aws-mocks.ts';

const TASK = 'aws:ecs/taskDefinition:TaskDefinition';
const VERSION = 'aws:secretsmanager/secretVersion:SecretVersion';

type Args = Omit<PlatformArgs, 'platform'>;

/** A platform, and all that was registered for it. */
export class RecordedPlatform {
  readonly platform: EcsPlatform;
  readonly resources: RegisteredWithOptions[];
  readonly of: (type: string) => RegisteredWithOptions[];
  readonly named: (type: string, name: string) => RegisteredWithOptions;

  private constructor(platform: EcsPlatform, resources: RegisteredWithOptions[]) {
    this.platform = platform;
    this.resources = resources;
    const { of, named } = registry(resources);
    this.of = of;
    this.named = named;
  }

  /** Made once for the same arguments: there is much to register. */
  static async made(aws: Aws, args: Args = {}): Promise<RecordedPlatform> {
    const key = JSON.stringify(args);
    const found = known.get(key);
    if (found !== undefined) return found;
    aws.resources.splice(0);
    const platform = await registering(() => {
      return new EcsPlatform('agents', { certificateArn: CERTIFICATE, ...args });
    });
    const recorded = new RecordedPlatform(platform, aws.resources.splice(0));
    const twice = rulesTwice(recorded.resources);
    if (twice.length > 0) throw new Error(`InvalidPermission.Duplicate: ${twice.join(', ')}`);
    known.set(key, recorded);
    return recorded;
  }

  names(type: string): string[] {
    return this.of(type)
      .map(({ name }) => name)
      .sort();
  }

  containers(task: string): ContainerDefinition[] {
    return JSON.parse(this.named(TASK, task).inputs.containerDefinitions);
  }

  /** The runtime's variables as its container sees them, with what Secrets Manager has. */
  environment(): Record<string, string> {
    const [runtime] = this.containers('agents-runtime');
    const stored = (runtime?.secrets ?? []).map(({ name, valueFrom }) => {
      const [, secret = ''] = /:secret:(.+)-AbCdEf:::version-of-\1$/.exec(valueFrom) ?? [];
      const { secretString } = this.named(VERSION, secret).inputs;
      if (secretString[SECRET_KEY] === undefined) throw new Error(`${name} is stored in the clear`);
      return [name, secretString.value];
    });
    const plain = (runtime?.environment ?? []).map(({ name, value }) => {
      if (name in VARIABLES && VARIABLES[name as keyof typeof VARIABLES].secret)
        // it is one, as just seen
        throw new Error(`${name} is passed in the clear`);
      return [name, value];
    });
    return Object.fromEntries([...plain, ...stored]);
  }

  /** What the runtime makes of them. */
  config(): Config {
    const loaded = loadConfig(this.environment());
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    return loaded.config;
  }
}

const known = new Map<string, RecordedPlatform>();
