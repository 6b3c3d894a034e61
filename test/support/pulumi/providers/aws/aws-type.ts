import { randomBytes } from 'node:crypto';
import type { Unwrap } from '@pulumi/pulumi';
import type { ResourceKind } from '../provider.ts';
import type { WireObject } from '../wire-values.ts';
import { refuseInUse } from './in-use.ts';
import type { Recorded, Recorder } from './recorder.ts';

export const ACCOUNT = '123456789012';
export const REGION = process.env.AWS_REGION ?? 'us-east-1';

/** One type of AWS', in what our stacks use of it. */
// biome-ignore lint/suspicious/noExplicitAny: types of any inputs
export interface AwsType<Args = any> extends AwsTypeOptions<Args> {
  /** What names it: see `filled`. */
  readonly id: string;
  readonly inputs: readonly (keyof Args & string)[];
}

interface AwsTypeOptions<Args> {
  /** The input that gets a name unless it is given one. */
  readonly named?: keyof Args & string;
  /** What AWS says to a name that another has; none: there may be two. */
  readonly taken?: string;
  /** The longest that this name may be. */
  readonly longest?: number;
  /** A change of one of these makes another; of any other input, it is changed. */
  readonly replacing?: readonly (keyof Args & string)[];
  /** What AWS makes up, each by a pattern. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** What is done beyond writing it down. What it gives is what AWS made up, its id included. Throws to refuse. */
  readonly effects?: Effects<Unwrap<Args>>;
}

export interface Effects<Args> {
  created?(args: Args, thing: Recorded, recorder: Recorder): Promise<WireObject>;
  updated?(args: Args, thing: Recorded, recorder: Recorder): Promise<WireObject>;
  deleting?(args: Args, thing: Recorded, recorder: Recorder): Promise<void>;
}

/** A type by a line: `of<VpcArgs>('vpc-#', ['cidrBlock'])`. Its inputs are checked against the real ones. */
export function of<Args>(
  id: string,
  inputs: readonly (keyof Args & string)[],
  options: AwsTypeOptions<Args> = {},
): AwsType<Args> {
  return { id, inputs, ...options };
}

/** An ARN's pattern: of a service in this account and region. */
export const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** A pattern with inputs for `{name}` and hex digits for `#`, as many as ids of AWS have. */
export function filled(pattern: string, values: WireObject): string {
  return pattern
    .replaceAll('#', () => randomBytes(9).toString('hex').slice(1))
    .replaceAll(/\{(\w+)\}/g, (_, key) => String(values[key]));
}

/** How the engine sees it: everything is written down, and whoever needs it keeps it. */
export function kindOf(recorder: Recorder, token: string, type: AwsType): ResourceKind<WireObject> {
  const { effects = {}, named = false, outputs = {}, replacing = [] } = type;
  const made = (inputs: WireObject): Recorded => {
    checkName(type, inputs);
    const id = filled(type.id, inputs);
    const entries = Object.entries(outputs).map(([key, pattern]) => [
      key,
      filled(pattern, { ...inputs, id }),
    ]);
    return { token, id, inputs, properties: { tagsAll: inputs.tags ?? {}, ...Object.fromEntries(entries) } };
  };
  const find = (id: string): Recorded => {
    const thing = recorder.of(token).find((each) => each.id === id);
    if (thing === undefined) throw new Error(`NotFound: there is no ${token} '${id}'`);
    return thing;
  };
  return {
    inputs: type.inputs,
    named,
    replacing,
    async create(inputs) {
      const thing = made(inputs);
      if (type.taken !== undefined && recorder.ids(token).includes(thing.id))
        throw new Error(`${type.taken}: there is a ${token} '${thing.id}' already`);
      const { id = thing.id, ...more } = (await effects.created?.(inputs, thing, recorder)) ?? {};
      const properties = { ...thing.properties, ...more };
      recorder.put({ ...thing, id: String(id), properties });
      return { id: String(id), properties };
    },
    async update(id, inputs) {
      const thing = { ...find(id), inputs };
      const properties = { ...thing.properties, ...(await effects.updated?.(inputs, thing, recorder)) };
      recorder.put({ ...thing, properties });
      return properties;
    },
    async delete(id, inputs) {
      const thing = find(id);
      refuseInUse(recorder, thing);
      await effects.deleting?.(inputs, thing, recorder);
      recorder.remove(token, id);
    },
  };
}

function checkName({ named, longest }: AwsType, inputs: WireObject): void {
  const name = named === undefined ? '' : String(inputs[named]);
  if (longest !== undefined && name.length > longest)
    throw new Error(`ValidationError: '${name}' is longer than ${longest} characters`);
}
