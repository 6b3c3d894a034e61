import { parseArgs } from 'node:util';
import { ECSClient, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import { connectEngine, engineAnswers, engineMessage, imageId } from '../../../images/builder/engine.ts';
import { ourPackage } from '../../../images/builder/our-package.ts';
import { dockerBacking } from './docker/docker-backing.ts';
import { EcsEmulator } from './ecs-emulator.ts';
import { TaskEventLines } from './task-event-lines.ts';
import { FARGATE_DELAYS, NO_DELAYS } from './tasks/task-delays.ts';
import { workspaceTaskDefinition } from './workspace-task-definition.ts';

const help = `An ECS on this machine: its tasks are containers of the Docker engine.

  npm run ecs-emulator -- [options]

  --port <port>           where it listens, on 127.0.0.1 (4510)
  --cluster <name>        the cluster that it makes (berth)
  --fast                  tasks start as fast as they can, not as slowly as on Fargate
  --speed <n>             its clock runs so many times as fast: delays, rates, health checks, retention (1)
  --internal              tasks reach nothing but this machine
  --agent-image <image>   of the task definition workspace-agent (workspace-base:${ourPackage.version})
  --sidecar-image <image> (proxy-sidecar:${ourPackage.version})
  --help

It prints the variables that make \`npm start\` use it, then a line for each step of a task. Ctrl-C ends it and
removes all that it made. The engine is the one that DOCKER_HOST names, or the usual one.
`;

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'number') return options;
  const images = { agentImage: options.agentImage, sidecarImage: options.sidecarImage };
  const missing = await missingImages(Object.values(images));
  if (missing !== undefined) {
    console.error(missing);
    return 1;
  }
  const stopAsked = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopAsked.resolve());
  const lines = new TaskEventLines((line) => console.log(line));
  await using emulator = await EcsEmulator.start({
    backing: dockerBacking({ internal: options.internal }),
    clusters: [options.cluster],
    speed: options.speed,
    port: options.port,
    delays: options.fast ? NO_DELAYS : FARGATE_DELAYS,
    onTask: (task) => lines.show(task),
  });
  const ecs = new ECSClient({
    endpoint: emulator.url,
    region: emulator.region,
    credentials: { accessKeyId: 'emulator', secretAccessKey: 'not-checked' },
  });
  await ecs.send(new RegisterTaskDefinitionCommand(workspaceTaskDefinition(images)));
  ecs.destroy();
  const variables = {
    CONTAINER_MANAGER_TYPE: 'ecs',
    ...emulator.env,
    ECS_CLUSTER: options.cluster,
    ECS_TASK_DEFINITION: 'workspace-agent',
    ECS_SUBNETS: emulator.subnets.join(','),
    ECS_SECURITY_GROUPS: emulator.securityGroups.join(','),
  };
  for (const [name, value] of Object.entries(variables)) console.log(`export ${name}=${value}`);
  console.log(`# ECS listens on ${emulator.url}; Ctrl-C ends it.`);
  await stopAsked.promise;
  console.log('# ending its tasks');
  return 0;
}

/** A number: it is all said, leave with it. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        port: { type: 'string', default: '4510' },
        cluster: { type: 'string', default: 'berth' },
        fast: { type: 'boolean', default: false },
        speed: { type: 'string', default: '1' },
        internal: { type: 'boolean', default: false },
        'agent-image': { type: 'string', default: `workspace-base:${ourPackage.version}` },
        'sidecar-image': { type: 'string', default: `proxy-sidecar:${ourPackage.version}` },
      },
    });
    if (values.help) {
      console.log(help);
      return 0;
    }
    const port = Number(values.port);
    const speed = Number(values.speed);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port wants 0 to 65535.');
    if (!(speed > 0)) throw new Error('--speed wants a number above 0.');
    if (!/^[\w-]{1,255}$/.test(values.cluster)) throw new Error('--cluster wants letters, digits, - and _.');
    const { cluster, fast, internal, 'agent-image': agentImage, 'sidecar-image': sidecarImage } = values;
    return { port, speed, cluster, fast, internal, agentImage, sidecarImage };
  } catch (error) {
    console.error(`${engineMessage(error)} See npm run ecs-emulator -- --help.`);
    return 2;
  }
}

/** What to do about images or an engine that are not there; undefined: all is. */
async function missingImages(images: readonly string[]): Promise<string | undefined> {
  if (!(await engineAnswers(process.env.DOCKER_HOST))) {
    return 'No Docker engine answers. Start one, or name one in DOCKER_HOST.';
  }
  const engine = connectEngine();
  const ids = await Promise.all(images.map((image) => imageId(engine, image)));
  const absent = images.filter((_, index) => ids[index] === undefined);
  if (absent.length === 0) return undefined;
  return `The engine has no image ${absent.join(', ')}. Build it with npm run images, or name another.`;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`The emulator could not go on: ${engineMessage(error)}`);
  process.exitCode = 1;
}
