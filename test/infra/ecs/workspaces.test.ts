import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { workspaceContainers } from '../../../infra/ecs/workspace-task.ts';
import { appTaskDefinition } from '../../support/ecs-emulator/app-task-definition.ts';
import { evaluatePolicy } from '../../support/iam/evaluate-policy.ts';
import { ACCOUNT, idOf, REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const FILES = 'aws:efs/fileSystem:FileSystem';
const POLICY = 'aws:efs/fileSystemPolicy:FileSystemPolicy';
const TARGET = 'aws:efs/mountTarget:MountTarget';
const FILE_SYSTEM = idOf(FILES, 'agents-homes');

const aws = recordAws();
beforeAll(() => runtime.setConfig('aws:region', REGION));

describe('workspaces on ECS', () => {
  it('have tasks made after the one that is known to run', () => {
    const images = { editorImage: 'editor@sha256:1', sidecarImage: 'sidecar@sha256:2' };
    const log = { group: '/ecs/agents', region: 'eu-west-1' };
    const known = appTaskDefinition({
      ...images,
      agentImage: 'base@sha256:3',
      region: log.region,
      logGroup: log.group,
    });
    expect(workspaceContainers({ ...images, helperImage: 'base@sha256:3', log })).toEqual(
      known.containerDefinitions,
    );
  });

  it('are told where their homes are, what theirs are made after, and what they run, by its digest', async () => {
    const made = await RecordedPlatform.made(aws);
    const config = made.config();
    expect(config).toMatchObject({
      ECS_EFS_FILE_SYSTEM: FILE_SYSTEM,
      ECS_WORKSPACE_TASK_DEFINITION: `arn:aws:ecs:${REGION}:${ACCOUNT}:task-definition/agents-workspace:7`,
    });
    expect(config.ECS_WORKSPACE_SECURITY_GROUPS).toHaveLength(1);
    expect(config.ECS_WORKSPACE_SECURITY_GROUPS).not.toEqual(config.ECS_SECURITY_GROUPS);
    expect(config.DEFAULT_WORKSPACE_IMAGE_REF).toMatch(/\/agents\/workspace-editor@sha256:[0-9a-f]{64}$/);
    const { inputs } = made.named('aws:ecs/taskDefinition:TaskDefinition', 'agents-workspace');
    expect(inputs.taskRoleArn).toBeUndefined();
  });

  it('have their homes encrypted, backed up, and in every zone that their tasks are in', async () => {
    const made = await RecordedPlatform.made(aws);
    expect(made.named(FILES, 'agents-homes')).toMatchObject({ inputs: { encrypted: true }, retained: true });
    expect(made.named('aws:efs/backupPolicy:BackupPolicy', 'agents-homes').inputs.backupPolicy).toEqual({
      status: 'ENABLED',
    });
    const targets = made.of(TARGET);
    const subnets = targets.map(({ inputs }) => inputs.subnetId).sort();
    expect(subnets).toEqual([...made.config().ECS_SUBNETS].sort());
    expect(targets.some(({ retained }) => retained)).toBe(false);
    const others = await RecordedPlatform.made(aws, { destroyData: true });
    expect(others.named(FILES, 'agents-homes').retained).toBeFalsy();
  });

  it('come to a home by its access point, over TLS, and never as root', async () => {
    const made = await RecordedPlatform.made(aws);
    const document = JSON.parse(made.named(POLICY, 'agents-homes').inputs.policy);
    for (const statement of document.Statement) delete statement.Principal; // everyone
    const arn = (what: string) => `arn:aws:elasticfilesystem:${REGION}:${ACCOUNT}:${what}`;
    const verdict = (action: string, context: Record<string, string>) =>
      evaluatePolicy(document, {
        action: `elasticfilesystem:${action}`,
        resource: arn(`file-system/${FILE_SYSTEM}`),
        context: {
          'elasticfilesystem:AccessedViaMountTarget': 'true',
          'aws:SecureTransport': 'true',
          ...context,
        },
      });
    const through = { 'elasticfilesystem:AccessPointArn': arn('access-point/fsap-0abc1234') };
    expect(verdict('ClientMount', through)).toBe('allowed');
    expect(verdict('ClientWrite', through)).toBe('allowed');
    expect(verdict('ClientRootAccess', through)).toBe('not allowed');
    expect(verdict('ClientMount', {})).toBe('not allowed');
    expect(verdict('ClientMount', { ...through, 'aws:SecureTransport': 'false' })).toBe('denied');
  });
});
