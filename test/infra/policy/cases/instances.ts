import type { Props } from '../../../../infra/policy/rule.ts';
import type { Cases } from './shapes.ts';

const rule = 'no-instance-credentials';
const metadataOptions = { httpTokens: 'required', httpPutResponseHopLimit: 1 };
const base64 = (userData: string) => Buffer.from(userData).toString('base64');
const JOINS = 'echo ECS_CLUSTER=agents >> /etc/ecs/ecs.config\n';
const BLOCKS = 'echo ECS_AWSVPC_BLOCK_IMDS=true >> /etc/ecs/ecs.config\n';

const OPEN: [Props, string][] = [
  [{}, 'without a token'],
  [{ metadataOptions: { httpTokens: 'optional', httpPutResponseHopLimit: 1 } }, 'without a token'],
  [{ metadataOptions: { httpTokens: 'required' } }, 'answer containers'],
  [{ metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 } }, 'answer containers'],
];
const SHUT: Props[] = [{ metadataOptions }, { metadataOptions: { httpEndpoint: 'disabled' } }];

/** With user data as it is, and as base64. */
const plain: Omit<Cases, 'type'> = {
  rule,
  passes: [
    ...SHUT,
    { metadataOptions, userData: JOINS + BLOCKS },
    { metadataOptions, userDataBase64: base64(JOINS + BLOCKS) },
  ],
  fails: [
    ...OPEN,
    [{ metadataOptions, userData: JOINS }, 'Tasks on its instances'],
    [{ metadataOptions, userDataBase64: base64(JOINS) }, 'Tasks on its instances'],
  ],
};

export const INSTANCES: Cases[] = [
  {
    rule,
    type: 'aws:ec2/launchTemplate:LaunchTemplate',
    passes: [
      ...SHUT,
      { metadataOptions, userData: base64('echo hello') },
      { metadataOptions, userData: base64(JOINS + BLOCKS) },
      { metadataOptions, userData: base64('ECS_CLUSTER=agents\nECS_AWSVPC_BLOCK_IMDS=true\n') },
    ],
    fails: [
      ...OPEN,
      [{ metadataOptions, userData: base64(JOINS) }, 'Tasks on its instances'],
      [
        { metadataOptions, userData: base64(`${JOINS}ECS_AWSVPC_BLOCK_IMDS=false\n`) },
        'Tasks on its instances',
      ],
      [
        { metadataOptions, userData: base64(`${JOINS}# ECS_AWSVPC_BLOCK_IMDS=true\n`) },
        'Tasks on its instances',
      ],
    ],
  },
  { ...plain, type: 'aws:ec2/launchConfiguration:LaunchConfiguration' },
  { ...plain, type: 'aws:ec2/instance:Instance' },
];
