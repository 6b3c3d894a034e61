import { list, object, text } from './reading.ts';
import type { Check, ResourceRule } from './rule.ts';
import { TASK_DEFINITION } from './task-containers.ts';

const wants =
  (flag: string, problem: string): Check =>
  (props) =>
    props[flag] === true ? [] : [problem];

// Buckets have a rule of their own; Secrets Manager, log groups and registries are always encrypted by AWS.
export const encryptedAtRest: ResourceRule = {
  name: 'encrypted-at-rest',
  description: 'Whatever keeps data keeps it encrypted.',
  level: 'mandatory',
  fix: 'Turn it on before there is data: most stores are made anew to change it',
  checks: {
    'aws:elasticache/replicationGroup:ReplicationGroup': wants(
      'atRestEncryptionEnabled',
      'The cache keeps its data in the clear',
    ),
    'aws:rds/instance:Instance': wants('storageEncrypted', 'The database keeps its data in the clear'),
    'aws:rds/cluster:Cluster': wants('storageEncrypted', 'The database keeps its data in the clear'),
    'aws:efs/fileSystem:FileSystem': wants('encrypted', 'The file system keeps its data in the clear'),
    'aws:ebs/volume:Volume': wants('encrypted', 'The volume keeps its data in the clear'),
  },
};

const MODERN_TLS = /^ELBSecurityPolicy-(TLS13-1-[23]|TLS-1-2|FS-1-2)/;

const ofListener: Check = ({ protocol, sslPolicy, defaultActions }) => {
  const actions = list(defaultActions).map(object);
  const onlyRedirects =
    actions.length > 0 &&
    actions.every(({ type, redirect }) => type === 'redirect' && object(redirect).protocol === 'HTTPS');
  if (onlyRedirects) return [];
  if (protocol !== 'HTTPS' && protocol !== 'TLS') return ['The load balancer listens without TLS'];
  return MODERN_TLS.test(text(sslPolicy)) ? [] : ['The load balancer speaks versions of TLS before 1.2'];
};

const ofCache: Check = ({ transitEncryptionEnabled, transitEncryptionMode }) =>
  transitEncryptionEnabled === true && (transitEncryptionMode ?? 'required') === 'required'
    ? []
    : ['The cache takes connections without TLS'];

const ofTaskVolumes: Check = ({ volumes }) =>
  list(volumes)
    .map(object)
    .filter(({ efsVolumeConfiguration }) => {
      return (
        efsVolumeConfiguration !== undefined && object(efsVolumeConfiguration).transitEncryption !== 'ENABLED'
      );
    })
    .map(({ name }) => `The volume ${text(name)} is mounted without TLS`);

/** A policy that is not known yet says nothing. */
const ofFileSystem: Check = ({ policy }) => {
  if (typeof policy !== 'string') return [];
  const statements = list(object(JSON.parse(policy)).Statement).map(object);
  const demandsTls = ({ Effect, Condition }: Record<string, unknown>) => {
    const secure = object(object(Condition).Bool)['aws:SecureTransport'];
    return Effect === 'Deny' && secure === 'false';
  };
  return statements.some(demandsTls) ? [] : ['The file system takes connections without TLS'];
};

export const encryptedInTransit: ResourceRule = {
  name: 'encrypted-in-transit',
  description: 'Whatever goes over a network goes over TLS, where AWS can demand it.',
  level: 'mandatory',
  fix: 'Demand TLS 1.2 or later',
  checks: {
    'aws:lb/listener:Listener': ofListener,
    'aws:elasticache/replicationGroup:ReplicationGroup': ofCache,
    // Where it is not said, Postgres 15 and later demand it.
    'aws:rds/parameterGroup:ParameterGroup': ({ parameters }) =>
      list(parameters)
        .map(object)
        .some(({ name, value }) => name === 'rds.force_ssl' && value !== '1')
        ? ['The database takes connections without TLS']
        : [],
    [TASK_DEFINITION]: ofTaskVolumes,
    'aws:efs/fileSystemPolicy:FileSystemPolicy': ofFileSystem,
  },
};
