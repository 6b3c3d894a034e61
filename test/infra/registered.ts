import { runtime } from '@pulumi/pulumi';
import { MockMonitor } from '@pulumi/pulumi/runtime/mocks.js';
import { madeOnDocker } from './made-on-docker.ts';
import { wholeSecrets } from './secret-marks.ts';

export interface Registered {
  type: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: inputs of any resource
  inputs: Record<string, any>;
}

/** With its options, which are Pulumi's business and no provider's. */
export interface RegisteredWithOptions extends Registered {
  /** Whether it stays when it is destroyed. */
  retained: boolean;
  ignored: string[];
  /** Names of what it is made after. */
  after: string[];
}

export interface Registry {
  readonly resources: RegisteredWithOptions[];
  of(type: string): RegisteredWithOptions[];
  named(type: string, name: string): RegisteredWithOptions;
}

/** What we read of Pulumi's own message, which has no type. */
interface Request {
  getType(): string;
  getName(): string;
  getObject(): { toJavaScript(): Registered['inputs'] };
  getRetainondelete(): boolean | undefined;
  getIgnorechangesList(): string[];
  getDependenciesList(): string[];
}

/** Makes Pulumi register resources here instead of with an engine: once a test file. */
export function recordResources(): Registry {
  const resources = recordRegistrations();
  runtime.setMocks({
    newResource: ({ type, name, inputs }) => ({
      id: `${name}-id`,
      state: { ...inputs, ...madeOnDocker(type, name) },
    }),
    call: ({ inputs }) => inputs,
  });
  return registry(resources);
}

/** All that is registered from now on. Mocks are not told the options of a resource; what they are called by is. */
export function recordRegistrations(): RegisteredWithOptions[] {
  const resources: RegisteredWithOptions[] = [];
  const register = MockMonitor.prototype.registerResource;
  MockMonitor.prototype.registerResource = function (request: Request, callback) {
    resources.push(registered(request));
    return register.call(this, request, callback);
  };
  return resources;
}

/** Finds among what was registered. */
export function registry(resources: RegisteredWithOptions[]): Registry {
  const of = (type: string) => resources.filter((resource) => resource.type === type);
  return {
    resources,
    of,
    named(type, name) {
      const found = of(type).find((resource) => resource.name === name);
      if (found !== undefined) return found;
      const there = resources.map((resource) => `${resource.type} ${resource.name}`).join('\n');
      throw new Error(`There is no ${type} ${name}; there are\n${there}`);
    },
  };
}

function registered(request: Request): RegisteredWithOptions {
  return {
    type: request.getType(),
    name: request.getName(),
    inputs: wholeSecrets(request.getObject().toJavaScript()),
    retained: request.getRetainondelete() === true,
    ignored: request.getIgnorechangesList(),
    after: request.getDependenciesList().map((urn: string) => urn.split('::').slice(2).join('::')),
  };
}

/** The value of an output, once everything that it depends on is registered. */
export function outcome<T>(output: { apply(take: (value: T) => void): unknown }): Promise<T> {
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}
