import { Role } from '@pulumi/aws/iam/role.js';
import { RolePolicy } from '@pulumi/aws/iam/rolePolicy.js';
import { all, type Input, type Output, output } from '@pulumi/pulumi';
import type { EcsPlace } from './ecs-place.ts';
import {
  executionPolicy,
  invokeModels,
  type RuntimeMay,
  runtimePolicy,
  type SweeperMay,
  sweeperPolicy,
  trustFunctions,
  trustRole,
  trustTasks,
} from './policies.ts';
import type { PolicyDocument } from './policy-document.ts';

const SESSION_SECONDS = 3600;

function role(
  { name, parent, tags }: EcsPlace,
  of: { called: string; what: string; trust: Output<PolicyDocument> },
): Role {
  return new Role(
    `${name}-${of.called}`,
    {
      description: `Berth ${name}: ${of.what}`,
      assumeRolePolicy: of.trust.apply((document) => JSON.stringify(document)),
      maxSessionDuration: SESSION_SECONDS,
      tags,
    },
    { parent },
  );
}

function allow({ name }: EcsPlace, of: Role, called: string, document: Output<PolicyDocument>): RolePolicy {
  return new RolePolicy(
    `${name}-${called}`,
    { role: of.id, policy: document.apply((value) => JSON.stringify(value)) },
    { parent: of },
  );
}

/** A role, and what it may. */
export interface GrantedRole {
  role: Role;
  granted: RolePolicy;
}

interface Starts {
  place: EcsPlace;
  clusterArn: Output<string>;
  called: 'workspace-agent' | 'workspace' | 'runtime' | 'proxy';
  repositories: Output<string>[];
  logGroup: Output<string>;
  secrets: Output<string>[];
}

/** What ECS itself uses to start tasks of a kind. No program ever holds it. */
export function executionRole(starts: Starts): GrantedRole {
  const { place, clusterArn, called, repositories, logGroup, secrets } = starts;
  const made = role(place, {
    called: `${called}-execution`,
    what: `starts tasks of ${called}`,
    trust: clusterArn.apply(trustTasks),
  });
  const document = all([all(repositories), logGroup, all(secrets)]).apply(([images, log, values]) =>
    executionPolicy({ repositories: images, logGroup: log, secrets: values }),
  );
  return { role: made, granted: allow(place, made, `${called}-execution`, document) };
}

/** The runtime's own. What it may comes once all that it names is there. */
export function runtimeRole(place: EcsPlace, clusterArn: Output<string>): Role {
  return role(place, {
    called: 'runtime',
    what: 'the runtime: runs tasks and keeps files',
    trust: clusterArn.apply(trustTasks),
  });
}

type Inputs<T> = { [Key in keyof T]: Input<T[Key]> };

export function allowRuntime(place: EcsPlace, runtime: Role, may: Inputs<RuntimeMay>): RolePolicy {
  return allow(place, runtime, 'runtime', output(may).apply(runtimePolicy));
}

/** Of the function that ends conversations when the platform goes. */
export function sweeperRole(place: EcsPlace, may: Inputs<SweeperMay>): GrantedRole {
  const made = role(place, {
    called: 'sweeper',
    what: 'runs the runtime once more, to end conversations',
    trust: output(trustFunctions()),
  });
  const document = all([may.cluster, may.taskFamily, may.taskRoles, may.logGroup]).apply(
    ([cluster, taskFamily, taskRoles, logGroup]) =>
      sweeperPolicy({ cluster, taskFamily, taskRoles, logGroup }),
  );
  return { role: made, granted: allow(place, made, 'sweeper', document) };
}

/** May invoke models of a region and nothing else. The runtime assumes it; its credentials are all that proxies get. */
export function bedrockRole(place: EcsPlace, runtime: Role, region: string): GrantedRole {
  const made = role(place, {
    called: 'bedrock',
    what: 'invokes models',
    trust: runtime.arn.apply(trustRole),
  });
  const document = all([place.partition, place.account]).apply(([partition, account]) =>
    invokeModels({ partition, account, region }),
  );
  return { role: made, granted: allow(place, made, 'bedrock', document) };
}
