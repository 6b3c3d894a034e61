import { runtime } from '@pulumi/pulumi';

export interface Registered {
  type: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: inputs of any resource
  inputs: Record<string, any>;
}

/** Makes Pulumi register resources here instead of with an engine: once a test file. `made` is what a provider makes up. */
export function recordResources(made: (resource: Registered) => Record<string, unknown> = () => ({})): {
  readonly resources: Registered[];
  of(type: string): Registered[];
  named(type: string, name: string): Registered;
} {
  const resources: Registered[] = [];
  runtime.setMocks({
    newResource({ type, name, inputs }) {
      const resource = { type, name, inputs };
      resources.push(resource);
      return { id: `${name}-id`, state: { ...inputs, ...made(resource) } };
    },
    call: ({ inputs }) => inputs,
  });
  const of = (type: string) => resources.filter((resource) => resource.type === type);
  return {
    resources,
    of,
    named(type, name) {
      const found = of(type).find((resource) => resource.name === name);
      if (found === undefined) {
        const there = resources.map((resource) => `${resource.type} ${resource.name}`).join('\n');
        throw new Error(`There is no ${type} ${name}; there are\n${there}`);
      }
      return found;
    },
  };
}

/** The value of an output, once everything that it depends on is registered. */
export function outcome<T>(output: { apply(take: (value: T) => void): unknown }): Promise<T> {
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}
