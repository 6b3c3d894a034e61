/** Commands that are not run here, each with why, and what runs them, or what they lead to, instead. */
export interface Elsewhere {
  page: string;
  /** Where the block begins. */
  begins: string;
  why: string;
  /** Files of this repository that run the same, or hold it against the code, and words of each that prove it. */
  covered?: readonly Covered[];
}

interface Covered {
  by: string;
  with: string;
}

const PACKAGES = 'it would take the packages away from under this very run; .ci/run begins with it';
const ENGINE = "it needs Pulumi's engine, which test:pulumi builds, and nothing else here has";
const AWS = 'it needs an account of AWS';
/** The commands of the guide, but for their `--yes`, and for state that is kept in a folder of the test's. */
const COMMANDS = 'test/support/pulumi/run.ts';
const UP: readonly Covered[] = [
  { by: COMMANDS, with: "['stack', 'init', options.stack]" },
  { by: COMMANDS, with: "['config', 'set', key, value]" },
  { by: COMMANDS, with: "['up', '--yes', '--skip-preview']" },
];
const OUTPUT = { by: COMMANDS, with: "['stack', 'output', '--json', '--show-secrets']" };
const deploying = 'docs/guides/deploying.md';

/** Every block whose fence says `elsewhere`, in the order of pages and lines. */
export const RUN_ELSEWHERE: readonly Elsewhere[] = [
  {
    page: 'README.md',
    begins: 'npm ci && npm start',
    why: PACKAGES,
    covered: [{ by: 'test/e2e/npm-start.test.ts', with: "spawn('npm', ['start', '--silent']" }],
  },
  {
    page: 'docs/first-conversation.md',
    begins: 'npm ci',
    why: PACKAGES,
  },
  {
    page: 'docs/guides/command-line.md',
    begins: 'export BERTH_URL=https://berth.example.com',
    why: 'it would send every command after it to another machine',
    covered: [{ by: 'test/runtime/cli/find-service.test.ts', with: "BERTH_URL: 'https://berth.example'" }],
  },
  {
    page: 'docs/guides/command-line.md',
    begins: 'source <(berth completion bash)',
    why: 'it is for the start-up files of three shells, of which a run has one',
    covered: [{ by: 'test/people/command-line-shell.people.ts', with: 'source <(berth completion bash)' }],
  },
  {
    page: deploying,
    begins: 'npm ci\npulumi login --local',
    why: ENGINE,
    covered: [...UP, OUTPUT, { by: 'test/pulumi/dev.pulumi.ts', with: "stack: 'dev'" }],
  },
  {
    page: deploying,
    begins: 'pulumi stack init prod',
    why: ENGINE,
    covered: [...UP, { by: 'test/pulumi/prod.pulumi.ts', with: "stack: 'prod'" }],
  },
  {
    page: deploying,
    begins: 'pulumi config set berth:clientRanges',
    why: AWS,
    covered: [{ by: 'test/infra/stack-config.test.ts', with: "'berth:clientRanges'" }],
  },
  {
    page: deploying,
    begins: 'pulumi config set berth:workspaceDomain',
    why: ENGINE,
    covered: [{ by: 'test/infra/stack-config.test.ts', with: 'workspaceCertificateArn' }],
  },
  {
    page: deploying,
    begins: '#!/bin/sh\ncat >> /etc/ecs/ecs.config',
    why: 'it is what an instance of EC2 does at its start',
    covered: [{ by: 'test/infra/policy/rules.test.ts', with: 'take the user data of the guide' }],
  },
  {
    page: deploying,
    begins: 'npm install ./berth-platform-',
    why: 'it fetches packages from a registry',
    covered: [{ by: 'test/pulumi/package.pulumi.ts', with: '^npm install .*$' }],
  },
  {
    page: deploying,
    begins: 'mkdir berth && tar -xzf berth-platform-',
    why: ENGINE,
    covered: [{ by: 'test/pulumi/package.pulumi.ts', with: 'PulumiPlugin.yaml' }],
  },
  {
    page: deploying,
    begins: 'npm install @pulumi/policy\npulumi preview --policy-pack',
    why: ENGINE,
    covered: [{ by: 'test/pulumi/package.pulumi.ts', with: '--policy-pack' }],
  },
  { page: deploying, begins: 'aws ecr batch-delete-image', why: AWS },
  { page: deploying, begins: 'aws ecs list-tasks', why: AWS },
  {
    page: deploying,
    begins: 'docker volume ls --filter label=berth.platform=berth-dev',
    why: 'it takes up the volumes of a platform that Pulumi made',
    covered: [
      {
        by: 'test/pulumi/dev.pulumi.ts',
        with: "tar -C /old/objects/kept --exclude 'egress.sealed!' -c . | tar -C /new/objects/kept -x --skip-old-files",
      },
    ],
  },
  {
    page: 'docs/guides/ecs.md',
    begins: 'npm run images',
    why: 'it builds for minutes what the run has built already',
    covered: [{ by: 'test/support/services/image-service.ts', with: 'buildImage' }],
  },
  {
    page: 'docs/guides/functions.md',
    begins: 'api -X PUT $BERTH_URL/v1/functions/thumbnails',
    why: "it needs a task definition of the operator's on ECS",
    covered: [{ by: 'test/ecs/functions.ecs.ts', with: 'task_definition' }],
  },
  { page: 'docs/guides/operations.md', begins: 'aws logs tail /ecs/agents/runtime', why: AWS },
  {
    page: 'docs/guides/running.md',
    begins: 'docker run -d --name berth -p 7420:7420',
    why: "it takes the machine's port 7420, and folders in /srv that only root makes",
    covered: [{ by: 'test/images/runtime-image.test.ts', with: 'WORKSPACE_SOCKET_BASE_PATH' }],
  },
];
