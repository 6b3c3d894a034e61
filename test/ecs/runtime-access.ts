import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtimePolicy } from '../../infra/ecs/policies.ts';
import type { AccessOptions } from '../support/ecs-emulator/access/access-control.ts';

/** Whose key a test's own tools have, which may everything; any other is the runtime's. */
export const TOOLS_KEY = 'tools';

/** Names the folder that collects, over all files of the suite, what the policy has allowed. */
export const ALLOWED_FOLDER = 'TEST_ECS_ALLOWED';

export const WORKSPACE_FAMILY = 'workspace';
export const FILE_SYSTEM = 'fs-0be27a00000000001';

const ARN = 'arn:aws:ecs:us-east-1:123456789012';

interface Rendered {
  installation?: string;
  functions?: Parameters<typeof runtimePolicy>[0]['functions'];
}

/** The runtime's policy as the platform renders it, for what the emulators of the tests have. */
export function renderedPolicy(
  family: string,
  cluster: string,
  logGroup: string,
  { installation = 'berth', functions }: Rendered = {},
) {
  return runtimePolicy({
    cluster: `${ARN}:cluster/${cluster}`,
    taskFamily: `${ARN}:task-definition/${family}`,
    executionRole: 'arn:aws:iam::123456789012:role/workspace-agent-execution',
    logGroup: `arn:aws:logs:us-east-1:123456789012:log-group:${logGroup}`,
    bucket: 'arn:aws:s3:::files',
    prefix: 'berth',
    bedrockRole: undefined,
    ...(functions === undefined ? {} : { functions }),
    workspaces: {
      installation,
      taskFamily: `${ARN}:task-definition/${WORKSPACE_FAMILY}`,
      executionRole: 'arn:aws:iam::123456789012:role/workspace-agent-execution',
      fileSystem: `arn:aws:elasticfilesystem:us-east-1:123456789012:file-system/${FILE_SYSTEM}`,
    },
  });
}

/** Everyone but the tools may what the policies say. */
export function runtimeAccess(...policies: ReturnType<typeof renderedPolicy>[]): AccessOptions {
  const runtime = { arn: 'arn:aws:sts::123456789012:assumed-role/runtime/1', policies };
  return {
    callerOf: (key) => (key === TOOLS_KEY ? undefined : runtime),
    onAllowed: note,
  };
}

const noted = new Set<string>();

function note(action: string): void {
  const folder = process.env[ALLOWED_FOLDER];
  if (folder === undefined || noted.has(action)) return;
  noted.add(action);
  appendFileSync(join(folder, `${process.pid}`), `${action}\n`);
}

/** What was allowed so far, in all files. */
export function notedActions(folder: string): Set<string> {
  const lines = readdirSync(folder).map((file) =>
    readFileSync(join(folder, file), 'utf8').trim().split('\n'),
  );
  return new Set(lines.flat());
}
