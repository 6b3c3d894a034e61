import { type Cases, CONTAINER, TASK, task } from './shapes.ts';

const ROLE = 'arn:aws:iam::123456789012:role/execution';
const DIGEST = `sha256:${'0f'.repeat(32)}`;

const CONTAINED = {
  readonlyRootFilesystem: true,
  linuxParameters: { capabilities: { drop: ['ALL'] } },
  user: '1000',
};
const CONTAINED_ON_DOCKER = {
  readOnly: true,
  capabilities: { drops: ['ALL'] },
  securityOpts: ['no-new-privileges:true'],
};

export const CONTAINERS: Cases[] = [
  {
    rule: 'no-role-for-agents',
    type: TASK,
    passes: [task({ name: 'workspace-agent' }), task({ name: 'runtime' }, { taskRoleArn: ROLE })],
    fails: [
      [task({ name: 'workspace-agent' }, { taskRoleArn: ROLE }), 'runs code of users with a task role'],
      [task({ name: 'workspace-app' }, { taskRoleArn: ROLE }), 'runs code of users with a task role'],
    ],
  },
  {
    rule: 'no-secret-in-environment',
    type: TASK,
    passes: [
      task({ environment: [{ name: 'BERTH_API_KEYS_FILE', value: '/run/keys' }] }),
      task({ environment: [{ name: 'PUBLIC_URL', value: 'https://berth.example.com:443/a@b' }] }),
      task({ secrets: [{ name: 'BERTH_SECRET', valueFrom: 'arn:aws:secretsmanager:…' }] }),
    ],
    fails: [
      'REDIS_URL',
      'BERTH_SECRET',
      'GITHUB_TOKEN',
      'API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'db_password',
    ].map((name) => [task({ environment: [{ name, value: 'x' }] }), `main has ${name} in the clear`]),
  },
  {
    rule: 'no-secret-in-environment',
    type: CONTAINER,
    passes: [{ envs: ['PORT=7420', 'PUBLIC_URL=http://127.0.0.1:7420'] }, {}],
    fails: [
      [{ envs: ['PORT=7420', 'POSTGRES_PASSWORD=word'] }, 'has POSTGRES_PASSWORD and is no secret'],
      [{ envs: ['STORE=redis://:word@redis:6379'] }, 'has STORE'],
    ],
  },
  {
    rule: 'no-secret-in-environment',
    type: 'aws:lambda/function:Function',
    passes: [{}, { environment: { variables: { CLUSTER: 'agents' } } }],
    fails: [[{ environment: { variables: { API_KEY: 'x' } } }, 'The function has API_KEY']],
  },
  {
    rule: 'no-secret-in-environment',
    type: 'docker-build:index:Image',
    passes: [{ buildArgs: { BASE_IMAGE: 'debian' } }],
    fails: [[{ buildArgs: { NPM_TOKEN: 'x' } }, 'the argument NPM_TOKEN']],
  },
  {
    rule: 'images-by-digest',
    type: TASK,
    passes: [task({ image: `registry.example.com/runtime@${DIGEST}` })],
    fails: [
      [task({ image: 'registry.example.com/runtime:0.1.0-0f0f0f0f0f0f' }), 'which is no digest'],
      [task({}), 'no image'],
    ],
  },
  {
    rule: 'images-by-digest',
    type: CONTAINER,
    passes: [
      DIGEST,
      `redis@${DIGEST}`,
      'runtime:0.1.0-0f0f0f0f0f0f',
      'runtime:0.1.0-0f0f0f0f0f0f.agents',
    ].map((image) => ({ image })),
    fails: [
      [{ image: 'runtime:0.1.0.agents' }, 'runtime:0.1.0.agents'],
      [{ image: 'redis:7.4' }, 'redis:7.4'],
      [{ image: 'redis' }, 'can be moved'],
    ],
  },
  {
    rule: 'contained-containers',
    type: TASK,
    passes: [task(CONTAINED)],
    fails: [
      [task({ ...CONTAINED, readonlyRootFilesystem: false }), 'main can write'],
      [task({ ...CONTAINED, linuxParameters: {} }), 'main keeps capabilities'],
      [task({ ...CONTAINED, privileged: true }), 'main is privileged'],
      [task({ ...CONTAINED, user: '0:0' }), 'main runs as root'],
      [task({ ...CONTAINED, user: undefined }), 'main runs as root'],
      [task(CONTAINED, { networkMode: 'host' }), "the host's network"],
    ],
  },
  {
    rule: 'contained-containers',
    type: CONTAINER,
    passes: [CONTAINED_ON_DOCKER],
    fails: [
      [{ ...CONTAINED_ON_DOCKER, readOnly: undefined }, 'can write'],
      [{ ...CONTAINED_ON_DOCKER, capabilities: { drops: ['NET_RAW'] } }, 'keeps capabilities'],
      [{ ...CONTAINED_ON_DOCKER, privileged: true }, 'is privileged'],
      [{ ...CONTAINED_ON_DOCKER, securityOpts: [] }, 'can gain privileges'],
      [{ ...CONTAINED_ON_DOCKER, pidMode: 'host' }, "the host's pid"],
    ],
  },
  {
    rule: 'engine-for-runtime-only',
    type: CONTAINER,
    passes: [
      { image: 'redis:7.4', mounts: [{ type: 'volume', source: 'data' }] },
      { image: 'runtime:0.1.0-0f0f0f0f0f0f', mounts: [{ type: 'bind', source: '/var/run/docker.sock' }] },
    ],
    fails: [
      [
        { image: 'redis:7.4', mounts: [{ type: 'bind', source: '/var/run/docker.sock' }] },
        '/var/run/docker.sock',
      ],
      [{ image: 'redis:7.4', volumes: [{ hostPath: '/run/containerd/containerd.sock' }] }, 'containerd.sock'],
    ],
  },
  {
    rule: 'engine-for-runtime-only',
    type: TASK,
    passes: [{ volumes: [{ name: 'scratch' }] }],
    fails: [[{ volumes: [{ name: 'engine', hostPath: '/var/run/docker.sock' }] }, '/var/run/docker.sock']],
  },
];
