import { describe, expect, it } from 'vitest';
import { policy, type Statement } from '../../../infra/ecs/policy-document.ts';
import { evaluatePolicy } from './evaluate-policy.ts';

const TASK = 'arn:aws:ecs:eu-west-1:123456789012:task/berth/1';
const allow = (more: Partial<Statement> = {}): Statement => ({
  Effect: 'Allow',
  Action: 'ecs:StopTask',
  Resource: TASK,
  ...more,
});
const ask = (statement: Statement | Statement[], context: Record<string, string> = {}, resource = TASK) =>
  evaluatePolicy(policy(...[statement].flat()), { action: 'ecs:StopTask', resource, context });

describe('a policy', () => {
  it('allows what a statement names, and nothing else', () => {
    expect(ask(allow())).toBe('allowed');
    expect(ask(allow({ Action: ['ecs:RunTask', 'ecs:stoptask'] }))).toBe('allowed');
    expect(ask(allow({ Action: 'ecs:RunTask' }))).toBe('not allowed');
    expect(ask(allow({ Resource: `${TASK}2` }))).toBe('not allowed');
    expect(ask([])).toBe('not allowed');
  });

  it('denies what any statement denies, whatever allows it', () => {
    expect(ask([allow({ Effect: 'Deny' }), allow()])).toBe('denied');
  });

  it.each([
    ['ecs:*', 'ecs:?topTask', true],
    ['*', 'e*k', true],
    ['ecs:Stop', 'ecs:StopTask?', false],
  ])('takes %s and %s as patterns of an action: %s', (one, other, expected) => {
    for (const Action of [one, other]) expect(ask(allow({ Action })) === 'allowed').toBe(expected);
  });

  it.each([
    ['*', true],
    ['arn:aws:ecs:eu-west-1:123456789012:task/berth/*', true],
    ['arn:aws:ecs:*:*:task/berth/?', true],
    ['arn:aws:ecs:*', false], // a wildcard does not pass a colon
    ['arn:aws:ecs:*:task/berth/1', false],
    ['arn:aws:ecs:eu-west-1:123456789012:task/berth', false],
    ['arn:aws:ecs:eu.west-1:123456789012:task/berth/1', false],
  ])('takes %s as a pattern of an ARN: %s', (Resource, expected) => {
    expect(ask(allow({ Resource })) === 'allowed').toBe(expected);
  });

  it('has a colon in the last part of an ARN only', () => {
    const definition = 'arn:aws:ecs:eu-west-1:123456789012:task-definition/workspace-agent';
    expect(ask(allow({ Resource: `${definition}:*` }), {}, `${definition}:12`)).toBe('allowed');
    expect(ask(allow({ Resource: `${definition}:*` }), {}, `${definition}2:1`)).toBe('not allowed');
  });

  it.each<[string, string, string, boolean]>([
    ['StringEquals', 'a', 'a', true],
    ['StringEquals', 'a*', 'ab', false],
    ['StringLike', 'a*', 'ab', true],
    ['ArnEquals', 'arn:aws:ecs:*:1:cluster/a', 'arn:aws:ecs:x:1:cluster/a', true],
    ['ArnLike', 'arn:aws:ecs:*', 'arn:aws:ecs:x:1:cluster/a', false],
    ['Bool', 'True', 'true', true],
    ['Bool', 'false', 'true', false],
  ])('under %s %s of %s: %s', (operator, wanted, given, expected) => {
    const statement = allow({ Condition: { [operator]: { key: ['never', wanted] } } });
    expect(ask(statement, { key: given }) === 'allowed').toBe(expected);
    expect(ask(statement)).toBe('not allowed');
  });

  it('wants every condition, and one that ends with IfExists only where there is the key', () => {
    const both = allow({ Condition: { StringEquals: { a: '1' }, StringLikeIfExists: { b: '2*' } } });
    expect(ask(both, { a: '1' })).toBe('allowed');
    expect(ask(both, { a: '1', b: '22' })).toBe('allowed');
    expect(ask(both, { a: '1', b: '3' })).toBe('not allowed');
    expect(ask(both, { b: '2' })).toBe('not allowed');
  });

  it.each([
    [
      'an operator',
      allow({ Action: 'ecs:Other', Condition: { NumericEquals: { a: '1' } } }),
      'NumericEquals',
    ],
    ['an element', { ...allow(), NotAction: 'ecs:RunTask' }, 'NotAction'],
    ['a principal', allow({ Principal: '*' }), 'Principal'],
    ['a variable', allow({ Resource: `arn:aws:s3:::\${aws:username}` }), 'variable'],
  ])('is refused where it has %s that is not known', (_, statement, named) => {
    expect(() => ask(statement)).toThrow(named);
  });
});
