import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DescribeTaskDefinitionCommand, ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connectEngine } from '../../../images/builder/engine.ts';
import { must } from '../must.ts';
import { describeWith, docker, workspaceImage } from '../services/provided.ts';
import { dockerBacking } from './docker/docker-backing.ts';
import { LABEL } from './docker/owner.ts';
import { EcsEmulator } from './ecs-emulator.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

interface Tool {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** What it told to export. */
  readonly env: Readonly<Record<string, string>>;
  readonly exit: Promise<number | null>;
}

describeWith(['docker', 'workspace-base-image'], 'npm run ecs-emulator', () => {
  async function start(...args: string[]): Promise<Tool> {
    const images = ['--agent-image', workspaceImage(), '--sidecar-image', workspaceImage()];
    const child = spawn(process.execPath, [MAIN, '--port', '0', '--fast', '--internal', ...images, ...args], {
      env: { ...process.env, DOCKER_HOST: docker().host },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: must(child.stdout) }).on('line', (line) => lines.push(line));
    const exit = once(child, 'exit').then(([code]): number | null => code);
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await exit;
    });
    await vi.waitFor(() => expect(lines.some((line) => line.startsWith('#'))).toBe(true), 25_000);
    const exported = lines.flatMap((line) => /^export (\w+)=(.*)$/.exec(line)?.slice(1) ?? []);
    const env: Record<string, string> = {};
    for (let n = 0; n < exported.length; n += 2) env[must(exported[n])] = must(exported[n + 1]);
    return { child, lines, env, exit };
  }

  const client = ({ env }: Tool): ECSClient =>
    new ECSClient({
      endpoint: must(env.AWS_ENDPOINT_URL_ECS),
      region: must(env.AWS_REGION),
      credentials: {
        accessKeyId: must(env.AWS_ACCESS_KEY_ID),
        secretAccessKey: must(env.AWS_SECRET_ACCESS_KEY),
      },
    });

  /** A task of the workspace's definition, whose second container does nothing. */
  const runTask = (tool: Tool) =>
    client(tool).send(
      new RunTaskCommand({
        cluster: must(tool.env.ECS_CLUSTER),
        taskDefinition: must(tool.env.ECS_TASK_DEFINITION),
        launchType: 'FARGATE',
        startedBy: 'berth/ws-0123456789ab',
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: must(tool.env.ECS_SUBNETS).split(','),
            securityGroups: must(tool.env.ECS_SECURITY_GROUPS).split(','),
          },
        },
        overrides: {
          containerOverrides: [
            { name: 'workspace-agent', environment: [{ name: 'AGENT_TOKEN', value: 't'.repeat(32) }] },
            { name: 'proxy-sidecar', command: ['sleep', 'infinity'] },
          ],
        },
      }),
    );

  /** What is labelled as the process's own. */
  async function madeBy({ child }: Tool): Promise<string[]> {
    const engine = connectEngine(docker().host);
    const filters = { label: [LABEL.owner] };
    const all = [
      ...(await engine.listContainers({ all: true, filters })).map(({ Id, Labels }) => ({ Id, Labels })),
      ...(await engine.listNetworks({ filters })).map(({ Id, Labels }) => ({ Id, Labels })),
    ];
    const owner = `${hostname()}/${child.pid}/`;
    return all.filter(({ Labels }) => Labels?.[LABEL.owner]?.startsWith(owner)).map(({ Id }) => Id);
  }

  it('tells what to export, shows what tasks do, and leaves nothing when it is ended', async () => {
    const tool = await start('--cluster', 'mine');
    expect(tool.env).toMatchObject({ CONTAINER_MANAGER_TYPE: 'ecs', ECS_CLUSTER: 'mine' });
    expect(tool.env.AWS_ENDPOINT_URL_CLOUDWATCH_LOGS).toBe(tool.env.AWS_ENDPOINT_URL_ECS);
    const { taskDefinition } = await client(tool).send(
      new DescribeTaskDefinitionCommand({ taskDefinition: must(tool.env.ECS_TASK_DEFINITION) }),
    );
    expect(taskDefinition?.containerDefinitions).toMatchObject([
      { name: 'workspace-agent', readonlyRootFilesystem: true, user: '1000:1000' },
      { name: 'proxy-sidecar', essential: true },
    ]);
    await runTask(tool);
    await vi.waitFor(
      () =>
        expect(tool.lines.some((line) => /berth\/ws-0123456789ab {2}RUNNING {2}10\./.test(line))).toBe(true),
      25_000,
    );
    expect(await madeBy(tool)).toHaveLength(4);
    tool.child.kill('SIGINT');
    expect(await tool.exit).toBe(0);
    expect(await madeBy(tool)).toEqual([]);
  });

  it('removes at its start what a killed one left, and nothing of one that lives', async () => {
    const living = await start();
    const killed = await start();
    await runTask(killed);
    await vi.waitFor(() => expect(killed.lines.some((line) => line.includes('RUNNING'))).toBe(true), 25_000);
    killed.child.kill('SIGKILL');
    await killed.exit;
    expect(await madeBy(killed)).toHaveLength(4);
    await using _ = await EcsEmulator.start({ backing: dockerBacking({ host: docker().host }) });
    expect(await madeBy(killed)).toEqual([]);
    expect(await madeBy(living)).toHaveLength(1);
  });

  it('says what is wrong with its options, and ends with 2', async () => {
    const child = spawn(process.execPath, [MAIN, '--port', 'x'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const said: string[] = [];
    must(child.stderr).on('data', (data) => said.push(`${data}`));
    const [code] = await once(child, 'close');
    expect(code).toBe(2);
    expect(said.join('')).toContain('--port wants 0 to 65535. See npm run ecs-emulator -- --help.');
  });
});
