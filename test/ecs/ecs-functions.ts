import { ECSClient, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { functionNodeImage, proxyImage } from '../support/services/provided.ts';
import { CLUSTER, ecsEnv, FAMILY, LOG_GROUP, startEcs } from './ecs-on-docker.ts';
import { renderedPolicy, runtimeAccess, TOOLS_KEY } from './runtime-access.ts';

export const PORT = 8080;
export const ARN = 'arn:aws:ecs:us-east-1:123456789012:task-definition/hello:1';
const FUNCTIONS_LOG = '/functions';
const ROLE = 'arn:aws:iam::123456789012:role/functions-execution';

/** Of a runtime that may run the task definition `hello` for functions. */
export function ecsFunctionsEnv(emulator: EcsEmulator): Record<string, string> {
  return { ...ecsEnv(emulator), ECS_FUNCTION_TASK_DEFINITIONS: `hello=${ARN}:${PORT}` };
}

/** With the rights that the platform gives where a stack names it. */
export async function startWithHello(): Promise<EcsEmulator> {
  const functions = {
    taskDefinitions: [ARN],
    roles: [ROLE],
    logGroups: [`arn:aws:logs:us-east-1:123456789012:log-group:${FUNCTIONS_LOG}`],
  };
  const emulator = await startEcs({
    logGroups: [LOG_GROUP, FUNCTIONS_LOG],
    access: runtimeAccess(renderedPolicy(FAMILY, CLUSTER, LOG_GROUP, { functions })),
  });
  await registerHello(emulator);
  return emulator;
}

/** An operator's own: a program of a function, and our proxy. */
async function registerHello(emulator: EcsEmulator): Promise<void> {
  const client = new ECSClient({
    endpoint: emulator.url,
    region: emulator.region,
    credentials: { accessKeyId: TOOLS_KEY, secretAccessKey: 'not-checked' },
  });
  const logConfiguration = {
    logDriver: 'awslogs',
    options: {
      'awslogs-group': FUNCTIONS_LOG,
      'awslogs-region': emulator.region,
      'awslogs-stream-prefix': 'functions',
    },
  } as const;
  const linuxParameters = { capabilities: { drop: ['ALL'] }, initProcessEnabled: true };
  await client.send(
    new RegisterTaskDefinitionCommand({
      family: 'hello',
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      cpu: '256',
      memory: '512',
      executionRoleArn: ROLE,
      containerDefinitions: [
        {
          name: 'worker',
          image: functionNodeImage(),
          readonlyRootFilesystem: true,
          linuxParameters: { ...linuxParameters, tmpfs: [{ containerPath: '/tmp', size: 64 }] },
          portMappings: [{ containerPort: PORT, protocol: 'tcp' }],
          stopTimeout: 30,
          logConfiguration,
        },
        {
          name: 'proxy-sidecar',
          image: proxyImage(),
          essential: true,
          user: '10002:10002',
          linuxParameters,
          stopTimeout: 30,
          logConfiguration,
        },
      ],
    }),
  );
  client.destroy();
}
