import { noPublicAddress } from './addresses.ts';
import { noRoleForAgents } from './agent-tasks.ts';
import { privateBuckets } from './buckets.ts';
import { containedContainers, engineForRuntimeOnly } from './containers.ts';
import { encryptedAtRest, encryptedInTransit } from './encryption.ts';
import { imagesByDigest, lastingTags } from './images.ts';
import { noOpenIngress } from './ingress.ts';
import { noInstanceCredentials } from './instances.ts';
import { leastPrivilege } from './privileges.ts';
import { backupsAreKept, logsExpire } from './retention.ts';
import type { ResourceRule, StackRule } from './rule.ts';
import { noSecretInEnvironment } from './secrets.ts';

export { message, problemsOf, type ResourceRule, type StackResource, type StackRule } from './rule.ts';

export const RESOURCE_RULES: readonly ResourceRule[] = [
  noRoleForAgents,
  noPublicAddress,
  noOpenIngress,
  noInstanceCredentials,
  noSecretInEnvironment,
  encryptedAtRest,
  encryptedInTransit,
  imagesByDigest,
  lastingTags,
  logsExpire,
  backupsAreKept,
  leastPrivilege,
  containedContainers,
  engineForRuntimeOnly,
];

export const STACK_RULES: readonly StackRule[] = [privateBuckets];
