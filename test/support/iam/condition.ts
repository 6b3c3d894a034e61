import type { Statement } from '../../../infra/ecs/policy-document.ts';
import { matches, matchesArn } from './wildcards.ts';

type Test = (wanted: string, given: string) => boolean;

const isSame: Test = (wanted, given) => wanted === given;

/** Those that our policies use. */
const OPERATORS: Readonly<Record<string, Test>> = {
  StringEquals: isSame,
  StringLike: matches,
  // AWS takes these two for one.
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
  Bool: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
};
const IF_EXISTS = /IfExists$/;

/** Whether all of it holds: of each key, one of its values. A key that the call does not have fails unless `IfExists`. */
export function conditionHolds(
  condition: NonNullable<Statement['Condition']>,
  context: Readonly<Record<string, string>>,
): boolean {
  const results = Object.entries(condition).flatMap(([operator, keys]) => {
    const test = OPERATORS[operator.replace(IF_EXISTS, '')];
    if (test === undefined) throw new Error(`The condition operator ${operator} is not understood.`);
    return Object.entries(keys).map(([key, wanted]) => {
      const given = context[key];
      if (given === undefined) return IF_EXISTS.test(operator);
      return [wanted].flat().some((value) => test(value, given));
    });
  });
  return results.every((holds) => holds);
}
