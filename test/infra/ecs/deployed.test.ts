import { describe, expect, it } from 'vitest';
import { checkDeployed } from '../../../infra/ecs/deployed.ts';

const ARN = 'arn:aws:ecs:us-east-1:123456789012:task-definition/agents-runtime';
const service = { name: 'agents-runtime-1a2b3c4', cluster: 'agents', told: `${ARN}:7` };

describe('a deployment', () => {
  it.each([`${ARN}:7`, 'agents-runtime:7'])(
    'is whole where the service runs what it was told: %s',
    (runs) => {
      expect(checkDeployed({ ...service, runs })).toBe(`${ARN}:7`);
    },
  );

  it.each([`${ARN}:6`, 'agents-runtime:6'])('fails where ECS has rolled it back to %s', (runs) => {
    expect(() => checkDeployed({ ...service, runs })).toThrow(
      /was to run agents-runtime:7, .* it runs agents-runtime:6\. .*describe-services --cluster agents --services agents-runtime-1a2b3c4/,
    );
  });
});
