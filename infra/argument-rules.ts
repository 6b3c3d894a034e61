import { Output } from '@pulumi/pulumi';
import { isExactRange, isPrivateRange } from './private-ranges.ts';

// What a value of an argument must be, and how that is said.

export interface Rule {
  wants: string;
  example: string;
  accepts: (value: unknown) => boolean;
}

export const wholeNumber = (least: number, most: number, example: string): Rule => ({
  wants: `a whole number from ${least} to ${most}`,
  example,
  accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
});
export const matching = (pattern: RegExp, wants: string, example: string): Rule => ({
  wants,
  example,
  accepts: (value) => typeof value === 'string' && pattern.test(value),
});
export const oneOf = (values: readonly string[]): Rule => ({
  wants: `one of ${values.join(', ')}`,
  example: values[0] ?? '',
  accepts: (value) => values.includes(String(value)),
});
export const listOf = (pattern: RegExp, wants: string, example: string): Rule => ({
  wants,
  example,
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => pattern.test(String(item))),
});

const isRange = (value: unknown) => typeof value === 'string' && isPrivateRange(value) && isExactRange(value);
export const privateRanges: Rule = {
  wants: 'a list of private ranges of IPv4, each by its first address',
  example: '["10.0.0.0/8", "192.168.4.0/22"]',
  accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isRange),
};
export const privateNetwork: Rule = {
  wants: 'a private range of 16 bits, by its first address',
  example: '10.21.0.0/16',
  accepts: (value) => isRange(value) && String(value).endsWith('/16'),
};

const isPromised = (value: unknown) => Output.isInstance(value) || value instanceof Promise;
/** Or what comes to be known only later, and can't be looked at here. */
export const orPromised = (rule: Rule): Rule => ({
  ...rule,
  accepts: (value) =>
    isPromised(value) ||
    rule.accepts(Array.isArray(value) ? value.filter((item) => !isPromised(item)) : value) ||
    (Array.isArray(value) && value.length > 0 && value.every(isPromised)),
});
