import { BackupPolicy } from '@pulumi/aws/efs/backupPolicy.js';
import { FileSystem } from '@pulumi/aws/efs/fileSystem.js';
import { FileSystemPolicy } from '@pulumi/aws/efs/fileSystemPolicy.js';
import { MountTarget } from '@pulumi/aws/efs/mountTarget.js';
import type { Output, Resource } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { type PolicyDocument, policy } from './policy-document.ts';

interface Given {
  place: EcsPlace;
  network: EcsNetwork;
  securityGroupId: Output<string>;
  destroyData: boolean;
}

export interface EcsFiles {
  files: FileSystem;
  /** What leads to it, and who may: there before a task is that mounts a home, and until the last has gone. */
  mounted: Output<Resource[]>;
}

/**
 * Where the homes of workspaces are. The file system stays when the platform goes, unless its data is to go, too; what
 * leads to it goes with the network.
 */
export function ecsFiles({ place, network, securityGroupId, destroyData }: Given): EcsFiles {
  const { name, parent, tags } = place;
  const called = `${name}-homes`;
  const options = { parent, retainOnDelete: !destroyData };
  const files = new FileSystem(
    called,
    {
      encrypted: true,
      throughputMode: 'elastic',
      lifecyclePolicies: [
        { transitionToIa: 'AFTER_30_DAYS' },
        { transitionToPrimaryStorageClass: 'AFTER_1_ACCESS' },
      ],
      tags: { ...tags, Name: called },
    },
    options,
  );
  new BackupPolicy(called, { fileSystemId: files.id, backupPolicy: { status: 'ENABLED' } }, options);
  const closed = new FileSystemPolicy(
    called,
    { fileSystemId: files.id, policy: files.arn.apply((arn) => JSON.stringify(homesPolicy(arn))) },
    options,
  );
  const targets = network.inEachZone(
    (subnetId, at) =>
      new MountTarget(
        `${called}-${at}`,
        { fileSystemId: files.id, subnetId, securityGroups: [securityGroupId] },
        { parent },
      ),
  );
  return { files, mounted: targets.apply((led) => [closed, ...led]) };
}

/**
 * Whoever reaches a mount target comes to a home by its access point, over TLS, as the home's user, and to nothing else:
 * not to the root, and not as root. Nobody has more by a role: all workspaces would have the same, and could read its
 * credentials.
 */
export function homesPolicy(fileSystem: string): PolicyDocument {
  const accessPoints = fileSystem.replace(/:file-system\/.*$/, ':access-point/*');
  return policy(
    {
      Effect: 'Allow',
      Principal: '*',
      Action: ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'],
      Resource: fileSystem,
      Condition: {
        Bool: { 'elasticfilesystem:AccessedViaMountTarget': 'true', 'aws:SecureTransport': 'true' },
        StringLike: { 'elasticfilesystem:AccessPointArn': accessPoints },
      },
    },
    {
      Effect: 'Deny',
      Principal: '*',
      Action: '*',
      Resource: fileSystem,
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  );
}
