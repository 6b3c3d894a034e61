import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ACCOUNT, REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

const INGRESS = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';
const POLICY = 'aws:iam/rolePolicy:RolePolicy';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const aws = recordAws();
beforeAll(() => runtime.setConfig('aws:region', REGION));

const arn = (family: string) => `arn:aws:ecs:${REGION}:${ACCOUNT}:task-definition/${family}`;
const GIVEN = [`resize=${arn('resize:7')}:3000`, `hello=${arn('hello')}:3000`, `agent=${arn('hello')}:9000`];

interface Statement {
  Action: string | string[];
  Resource: string | string[];
}

async function made(functionTaskDefinitions?: string[]) {
  return RecordedPlatform.made(aws, functionTaskDefinitions && { functionTaskDefinitions });
}

function resources(platform: RecordedPlatform, action: string): string[] {
  const { policy } = platform.named(POLICY, 'agents-runtime').inputs;
  const { Statement } = JSON.parse(policy) as { Statement: Statement[] };
  return Statement.filter(({ Action }) => [Action].flat().includes(action)).flatMap(
    ({ Resource }) => Resource,
  );
}

const ports = (platform: RecordedPlatform) =>
  platform
    .of(INGRESS)
    .filter(({ inputs }) => inputs.description.includes('workers of functions'))
    .map(({ inputs }) => inputs.fromPort);

describe('functions on ECS', () => {
  it('may run what the stack names, with its roles, and read what it prints', async () => {
    const platform = await made(GIVEN);
    expect(resources(platform, 'ecs:RunTask')).toEqual(
      expect.arrayContaining([arn('resize:7'), `${arn('hello')}:*`]),
    );
    expect(resources(platform, 'iam:PassRole')).toEqual(
      expect.arrayContaining(['functions', 'resize'].map((role) => `arn:aws:iam::${ACCOUNT}:role/${role}`)),
    );
    expect(resources(platform, 'logs:GetLogEvents')).toEqual(
      expect.arrayContaining(
        ['hello', 'resize'].map(
          (family) => `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:/functions/${family}:*`,
        ),
      ),
    );
    expect(platform.environment().ECS_FUNCTION_TASK_DEFINITIONS).toBe(GIVEN.join(','));
  });

  it('are reached at their ports, each once, beside those that are open anyway', async () => {
    expect(ports(await made(GIVEN))).toEqual([3000]);
  });

  it('are none where the stack names none: nothing is allowed for them', async () => {
    const platform = await made();
    expect(ports(platform)).toEqual([]);
    expect(platform.environment().ECS_FUNCTION_TASK_DEFINITIONS).toBeUndefined();
    const roles = resources(platform, 'iam:PassRole');
    expect(roles.filter((role) => role.endsWith('role/functions'))).toEqual([]);
  });
});
