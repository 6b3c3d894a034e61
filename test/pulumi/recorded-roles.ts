import type { PolicyDocument } from '../../infra/ecs/policy-document.ts';
import { type Access, evaluatePolicy } from '../support/iam/evaluate-policy.ts';
import type { Recorder } from '../support/pulumi/providers/aws/recorder.ts';

const nameOf = (roleArn: string) => roleArn.slice(roleArn.lastIndexOf('/') + 1);

/** What a role may, as the program has said it. */
export function policiesOf(recorder: Recorder, roleArn: string): PolicyDocument[] {
  return recorder
    .of('aws:iam/rolePolicy:RolePolicy')
    .filter(({ inputs }) => inputs.role === nameOf(roleArn))
    .map(({ inputs }) => JSON.parse(String(inputs.policy)));
}

export function may(recorder: Recorder, roleArn: string, access: Access): boolean {
  const verdicts = policiesOf(recorder, roleArn).map((policy) => evaluatePolicy(policy, access));
  return verdicts.includes('allowed') && !verdicts.includes('denied');
}

/** The value that a task definition names with `valueFrom`: an ARN, two parts that we leave empty, and a version. */
export function secretValue(recorder: Recorder, valueFrom: string): { secretArn: string; value: string } {
  const [, secretArn = '', versionId] = /^(.+):::([^:]+)$/.exec(valueFrom) ?? [];
  const version = recorder
    .of('aws:secretsmanager/secretVersion:SecretVersion')
    .find(({ inputs, properties }) => inputs.secretId === secretArn && properties.versionId === versionId);
  if (version === undefined) throw new Error(`Secrets Manager can't find the specified secret: ${valueFrom}`);
  return { secretArn, value: String(version.inputs.secretString) };
}
