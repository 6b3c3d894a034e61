import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problemsOf, RESOURCE_RULES, STACK_RULES, type StackResource } from '../../../infra/policy/rules.ts';
import { must } from '../../support/must.ts';
import { CONTAINERS } from './cases/containers.ts';
import { INSTANCES } from './cases/instances.ts';
import { NETWORK } from './cases/network.ts';
import { PRIVILEGES } from './cases/privileges.ts';
import { STORED } from './cases/stored.ts';

const CASES = [...NETWORK, ...INSTANCES, ...STORED, ...CONTAINERS, ...PRIVILEGES];
const ruleNamed = (name: string) => must(RESOURCE_RULES.find((rule) => rule.name === name));

describe.each(CASES)('the rule $rule', ({ rule, type, passes, fails }) => {
  it.each(passes)(`lets a ${type} be with %o`, (props) => {
    expect(problemsOf(ruleNamed(rule), type, props, new Set())).toEqual([]);
  });
  it.each(fails)(`tells %o of a ${type} that it is wrong: %s`, (props, words) => {
    const problems = problemsOf(ruleNamed(rule), type, props, new Set());
    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(problems[0]).toContain(ruleNamed(rule).fix);
  });
});

describe('the rules', () => {
  it('have cases for every type that they are about', () => {
    const checked = RESOURCE_RULES.flatMap(({ name, checks }) =>
      Object.keys(checks).map((type) => `${name} ${type}`),
    );
    expect(new Set(CASES.map(({ rule, type }) => `${rule} ${type}`))).toEqual(new Set(checked));
  });

  it('have names of their own', () => {
    const names = [...RESOURCE_RULES, ...STACK_RULES].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('are in the guide, each with its level and its words', () => {
    const guide = readFileSync(new URL('../../../docs/guides/deploying.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| `([a-z-]+)` \| (mandatory|advisory) \| (.*) \|$/gm)];
    expect(rows.map(([, name, level, description]) => ({ name, level, description }))).toEqual(
      [...RESOURCE_RULES, ...STACK_RULES].map(({ name, level, description }) => ({
        name,
        level,
        description,
      })),
    );
  });

  it('take the user data of the guide for instances', () => {
    const guide = readFileSync(new URL('../../../docs/guides/deploying.md', import.meta.url), 'utf8');
    const [, userData = ''] = /rules.test.ts -->\n```sh elsewhere\n(#!.+?)```/s.exec(guide) ?? [];
    expect(userData).toContain('ECS_CLUSTER=');
    const metadataOptions = { httpTokens: 'required', httpPutResponseHopLimit: 1 };
    const props = { metadataOptions, userData: Buffer.from(userData).toString('base64') };
    const rule = ruleNamed('no-instance-credentials');
    expect(problemsOf(rule, 'aws:ec2/launchTemplate:LaunchTemplate', props)).toEqual([]);
  });

  it('say nothing of a type that they are not about', () => {
    for (const rule of RESOURCE_RULES)
      expect(problemsOf(rule, 'random:index/randomId:RandomId', {})).toEqual([]);
  });

  it('leave the environment of a Docker container alone where nobody knows whether it is secret', () => {
    const rule = ruleNamed('no-secret-in-environment');
    const type = 'docker:index/container:Container';
    expect(problemsOf(rule, type, { envs: ['API_KEY=abc'] })).toEqual([]);
    expect(problemsOf(rule, type, { envs: ['API_KEY=abc'] }, new Set(['envs']))).toEqual([]);
    expect(problemsOf(rule, type, { envs: ['API_KEY=abc'] }, new Set())).toHaveLength(1);
  });
});

describe('the rule private-buckets', () => {
  const [rule] = STACK_RULES;
  const BUCKET = 'aws:s3/bucket:Bucket';
  const of = (type: string, props: StackResource['props'], after = `${BUCKET}::files`): StackResource => ({
    type: `aws:s3/${type[0]?.toLowerCase()}${type.slice(1)}:${type}`,
    name: 'files',
    props,
    after: [after],
  });
  const tls = { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
  const shut = {
    ...{ blockPublicAcls: true, blockPublicPolicy: true },
    ...{ ignorePublicAcls: true, restrictPublicBuckets: true },
  };
  const WHOLE = [
    { type: BUCKET, name: 'files', props: {}, after: [] },
    of('BucketPublicAccessBlock', shut),
    of('BucketServerSideEncryptionConfiguration', {}),
    of('BucketPolicy', { policy: JSON.stringify({ Statement: [tls] }) }),
  ];
  const problems = (resources: StackResource[]) =>
    must(rule)
      .check(resources)
      .map(({ problem }) => problem);

  it('lets a bucket be that has all it wants', () => {
    expect(problems(WHOLE)).toEqual([]);
  });

  it.each([
    [1, 'is not shut to the public'],
    [2, 'does not say how it is encrypted'],
    [3, 'can be spoken to without TLS'],
  ])('tells of a bucket without part %i', (left, words) => {
    expect(problems(WHOLE.filter((_, at) => at !== left))).toEqual([expect.stringContaining(words)]);
  });

  it('tells of a bucket that is shut in three ways of four, or whose block is of another bucket', () => {
    const [bucket, , ...rest] = WHOLE;
    for (const block of [
      of('BucketPublicAccessBlock', { ...shut, ignorePublicAcls: false }),
      of('BucketPublicAccessBlock', shut, `${BUCKET}::others`),
    ])
      expect(problems([must(bucket), block, ...rest])).toEqual([expect.stringContaining('is not shut')]);
  });

  it('tells of a policy that lets plain HTTP be', () => {
    const policy = of('BucketPolicy', { policy: JSON.stringify({ Statement: { ...tls, Effect: 'Allow' } }) });
    expect(problems([...WHOLE.slice(0, 3), policy])).toEqual([expect.stringContaining('without TLS')]);
  });
});
