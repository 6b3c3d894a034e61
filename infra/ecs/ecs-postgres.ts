import { Instance } from '@pulumi/aws/rds/instance.js';
import { ParameterGroup } from '@pulumi/aws/rds/parameterGroup.js';
import { SubnetGroup } from '@pulumi/aws/rds/subnetGroup.js';
import { interpolate, type Output, secret } from '@pulumi/pulumi';
import { RandomId } from '@pulumi/random';
import { expiringLogs } from './ecs-cluster.ts';
import type { EcsPlace } from './ecs-place.ts';

const CLASS = 'db.t4g.medium';
const GIB = 50;
const MOST_GIB = 500;
const BACKUP_DAYS = 14;
const LOGS = ['postgresql', 'upgrade'];

interface Given {
  place: EcsPlace;
  subnetIds: Output<string[]>;
  securityGroupId: Output<string>;
  password: Output<string>;
  destroyData: boolean;
}

/** Postgres with a standby in another zone. It stays when the platform goes, unless its data is to go, too. */
export function ecsPostgres({ place, subnetIds, securityGroupId, password, destroyData }: Given): {
  url: Output<string>;
  identifier: Output<string>;
} {
  const { name, parent, tags } = place;
  const called = `${name}-postgres`;
  const options = { parent, retainOnDelete: !destroyData };
  const subnets = new SubnetGroup(called, { subnetIds, tags }, options);
  const parameters = new ParameterGroup(
    called,
    {
      family: 'postgres17',
      description: `Berth ${name}: TLS only`,
      parameters: [{ name: 'rds.force_ssl', value: '1' }],
      tags,
    },
    options,
  );
  // One that is kept keeps its name, and the next has another.
  const { hex } = new RandomId(called, { byteLength: 4 }, { parent });
  const identifier = interpolate`${called}-${hex}`;
  // RDS would make them itself, to be kept for ever.
  const logs = LOGS.map((log) =>
    expiringLogs(place, `postgres-${log}`, interpolate`/aws/rds/instance/${identifier}/${log}`, options),
  );
  const database = new Instance(
    called,
    {
      identifier,
      engine: 'postgres',
      engineVersion: '17',
      instanceClass: CLASS,
      allocatedStorage: GIB,
      maxAllocatedStorage: MOST_GIB,
      storageType: 'gp3',
      storageEncrypted: true,
      multiAz: true,
      publiclyAccessible: false,
      dbName: 'berth',
      username: 'berth',
      password: secret(password),
      port: 5432,
      dbSubnetGroupName: subnets.name,
      vpcSecurityGroupIds: [securityGroupId],
      parameterGroupName: parameters.name,
      backupRetentionPeriod: BACKUP_DAYS,
      copyTagsToSnapshot: true,
      autoMinorVersionUpgrade: true,
      enabledCloudwatchLogsExports: LOGS,
      deletionProtection: !destroyData,
      skipFinalSnapshot: destroyData,
      ...(destroyData ? {} : { finalSnapshotIdentifier: `${called}-final` }),
      deleteAutomatedBackups: destroyData,
      tags,
    },
    { ...options, dependsOn: logs },
  );
  return {
    url: secret(interpolate`postgres://berth:${password}@${database.address}:5432/berth?sslmode=verify-full`),
    identifier: database.identifier,
  };
}
