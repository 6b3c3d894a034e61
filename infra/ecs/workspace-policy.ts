import { LABEL } from '../../runtime/contracts/labels.ts';
import { workspaceFamilies } from '../../runtime/contracts/workspace-task.ts';
import type { Statement } from './policy-document.ts';

/** What the runtime is given for workspaces. */
export interface WorkspacesMay {
  /** The installation's name, which is on all that it makes. */
  installation: string;
  cluster: string;
  /** Of the task definition that theirs are made after, without its revision: theirs begin with it. */
  taskFamily: string;
  /** That their tasks are started with. */
  executionRole: string;
  /** Of their homes. */
  fileSystem: string;
}

/** Definitions of their tasks, and access points to their homes: made with the installation's tag, and removed only with it. */
export function workspaceStatements(may: WorkspacesMay): Statement[] {
  const { installation, fileSystem } = may;
  const families = `${workspaceFamilies(may.taskFamily, installation)}*`;
  const accessPoints = fileSystem.replace(/:file-system\/.*$/, ':access-point/*');
  const made = { [`aws:RequestTag/${LABEL.installation}`]: installation };
  const ours = { [`aws:ResourceTag/${LABEL.installation}`]: installation };
  return [
    {
      Effect: 'Allow',
      Action: 'ecs:RunTask',
      Resource: `${families}:*`,
      Condition: { ArnEquals: { 'ecs:cluster': may.cluster } },
    },
    // AWS has nothing narrower than the tag.
    {
      Effect: 'Allow',
      Action: 'ecs:RegisterTaskDefinition',
      Resource: '*',
      Condition: { StringEquals: made },
    },
    {
      Effect: 'Allow',
      Action: 'ecs:TagResource',
      Resource: `${families}:*`,
      Condition: { StringEquals: { 'ecs:CreateAction': 'RegisterTaskDefinition' } },
    },
    // AWS has nothing narrower.
    {
      Effect: 'Allow',
      Action: ['ecs:ListTaskDefinitionFamilies', 'ecs:ListTaskDefinitions', 'ecs:DeregisterTaskDefinition'],
      Resource: '*',
    },
    {
      Effect: 'Allow',
      Action: 'iam:PassRole',
      Resource: may.executionRole,
      Condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
    },
    {
      Effect: 'Allow',
      Action: 'elasticfilesystem:CreateAccessPoint',
      Resource: fileSystem,
      Condition: { StringEquals: made },
    },
    {
      Effect: 'Allow',
      Action: 'elasticfilesystem:TagResource',
      Resource: accessPoints,
      Condition: { StringEquals: { 'elasticfilesystem:CreateAction': 'CreateAccessPoint', ...made } },
    },
    // Of the file system: the list.
    {
      Effect: 'Allow',
      Action: 'elasticfilesystem:DescribeAccessPoints',
      Resource: [fileSystem, accessPoints],
    },
    {
      Effect: 'Allow',
      Action: 'elasticfilesystem:DeleteAccessPoint',
      Resource: accessPoints,
      Condition: { StringEquals: ours },
    },
  ];
}
