import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { main, type Provider } from '@pulumi/pulumi/provider/index.js';
import { failOnce } from './fail-once.ts';
import { isUnknown, plainValue, type WireObject } from './wire-values.ts';

/** One type of resource of a provider, with inputs of the type `Args` once they are known. */
export interface ResourceKind<Args> {
  /** Those that it understands. Any other is refused: nothing is left out in silence. */
  readonly inputs: readonly (keyof Args & string)[];
  /** Gets a name of its own unless it is given one, as the real provider does: in `name`, or the input that is named. */
  readonly named: boolean | (keyof Args & string);
  /** Makes it, or throws and leaves nothing behind. Properties that are secret come marked. */
  create(args: Args, urn: string): Promise<{ id: string; properties: WireObject }>;
  /** Changes it in place, unless the change is of an input that makes another; without this, any change does. */
  update?(id: string, args: Args, urn: string): Promise<WireObject>;
  readonly replacing?: readonly (keyof Args & string)[];
  delete(id: string, args: Args): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: kinds of any inputs
type Kinds = Record<string, ResourceKind<any>>;

/** By token: what is asked of the provider without making anything. */
type Functions = Record<string, (args: WireObject) => WireObject>;

/** Serves a provider of just these types, by token, to the engine that started this process. */
export async function serveProvider(
  name: string,
  version: string,
  kinds: Kinds,
  functions: Functions = {},
): Promise<void> {
  await main(makeProvider(name, version, kinds, functions), process.argv.slice(2));
}

/** A resource of any other type, and any other function, is refused. */
export function makeProvider(
  name: string,
  version: string,
  kinds: Kinds,
  functions: Functions = {},
): Required<Pick<Provider, Spoken>> {
  const kindOf = (urn: string) => {
    const token = urn.split('::')[2]?.split('$').at(-1) ?? '';
    const kind = kinds[token];
    if (kind === undefined) throw new Error(`The tests' provider ${name} has no ${token}.`);
    return kind;
  };
  return {
    version,
    schema: JSON.stringify({ name, version }),
    async check(urn, olds: WireObject | undefined, news: WireObject) {
      const kind = kindOf(urn);
      // The engine adds words of its own.
      const given = Object.entries(news).filter(([key]) => !key.startsWith('__'));
      const failures = given
        .filter(([key]) => !kind.inputs.includes(key))
        .map(([property]) => ({ property, reason: `the tests' provider ${name} does not know it` }));
      const inputs: WireObject = Object.fromEntries(given);
      if (kind.named !== false) {
        const key = kind.named === true ? 'name' : kind.named;
        inputs[key] ??= olds?.[key] ?? madeUpName(urn);
      }
      return { inputs, failures };
    },
    async diff(_id, urn, olds: WireObject, news: WireObject) {
      const kind = kindOf(urn);
      const changed = kind.inputs.filter(
        (key) => isUnknown(news[key]) || !isDeepStrictEqual(plainValue(olds[key]), plainValue(news[key])),
      );
      const { update, replacing = [] } = kind;
      const replaces = changed.filter((key) => update === undefined || replacing.includes(key));
      return { changes: changed.length > 0, replaces };
    },
    async create(urn, inputs: WireObject) {
      failOnce(urn);
      const { id, properties } = await kindOf(urn).create(plainValue(inputs), urn);
      return { id, outs: { ...inputs, ...properties } };
    },
    async update(id, urn, _olds, news: WireObject) {
      const properties = await kindOf(urn).update?.(id, plainValue(news), urn);
      return { outs: { ...news, ...properties } };
    },
    async delete(id, urn, properties: WireObject) {
      await kindOf(urn).delete(id, plainValue(properties));
    },
    async invoke(token, inputs: WireObject) {
      const answer = functions[token];
      if (answer === undefined) throw new Error(`The tests' provider ${name} has no function ${token}.`);
      return { outputs: answer(inputs) };
    },
  };
}

type Spoken = 'version' | 'schema' | 'check' | 'diff' | 'create' | 'update' | 'delete' | 'invoke';

/** As the real providers make it: the resource's, and seven hex digits. */
function madeUpName(urn: string): string {
  return `${urn.split('::').at(-1)}-${randomBytes(4).toString('hex').slice(1)}`;
}
