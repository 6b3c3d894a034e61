import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { must } from '../support/must.ts';
import { removeContainers } from '../support/remove-containers.ts';
import { startServices } from '../support/services/start-services.ts';
import { agentStart } from './agent-start.ts';
import { coldStart } from './cold-start.ts';
import { execOverhead } from './exec-overhead.ts';
import { type Figure, ratio } from './figure.ts';
import { runtimeStart } from './runtime-start.ts';

const HELP = `npm run bench [-- --json <file>]

Measures what Berth adds to the parts it stands on, each figure against a reference of the same run. Prints a
table and writes the figures as JSON (dist/bench.json unless given). A missed goal is told, and fails nothing.
`;

const { values } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' }, json: { type: 'string', default: 'dist/bench.json' } },
});
if (values.help === true) console.log(HELP);
else await bench(resolve(values.json));

async function bench(file: string): Promise<void> {
  const say = (line: string): void => console.error(line);
  const services = await startServices({ say, signal: new AbortController().signal });
  try {
    const { TEST_DOCKER_HOST, TEST_WORKSPACE_IMAGE, TEST_REDIS_URL } = services.env;
    const host = must(TEST_DOCKER_HOST);
    const image = must(TEST_WORKSPACE_IMAGE);
    const onDocker = { CONTAINER_MANAGER_TYPE: 'docker', DOCKER_HOST: host, WORKSPACE_IMAGE: image };
    const installation = `bench-${randomBytes(4).toString('hex')}`;
    const onRedis = {
      ...onDocker,
      REDIS_URL: must(TEST_REDIS_URL),
      REDIS_KEY_PREFIX: `${installation}:`,
      BERTH_SINGLE_INSTANCE: '1',
      BERTH_INSTALLATION: installation,
      BERTH_SECRET: randomBytes(32).toString('hex'),
    };
    const figures: Figure[] = [];
    say('cold start …');
    figures.push(await coldStart(host, image));
    say('exec …');
    figures.push(await execOverhead('state in memory', onDocker));
    figures.push(await execOverhead('state in Redis', onRedis));
    await removeContainers(host, installation);
    say('agent …');
    figures.push(...(await agentStart()));
    say('runtime …');
    figures.push(...(await runtimeStart(onDocker)));
    console.log(table(figures));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `${JSON.stringify({ date: new Date().toISOString(), machine: machine(), figures }, null, 2)}\n`,
    );
    say(`written to ${file}`);
  } finally {
    await services.stop();
  }
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} cores, ${first?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}

function table(figures: Figure[]): string {
  const rows = figures.map((figure) => {
    const value = (number: number) => `${number.toFixed(number < 10 ? 2 : 0)} ${figure.unit}`;
    const { reference, ours, goal, name } = figure;
    const result = ratio(figure);
    const compared = reference === undefined ? '' : `${result.toFixed(2)} ×`;
    const bound = reference === undefined ? `≤ ${value(goal)}` : `≤ ${goal} ×`;
    return [
      name,
      value(ours),
      reference === undefined ? '' : `${value(reference.value)}, ${reference.name}`,
      compared,
      bound,
      result <= goal ? 'met' : 'missed',
    ];
  });
  const head = ['figure', 'ours', 'reference', 'ratio', 'goal', ''];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
