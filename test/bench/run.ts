import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { must } from '../support/must.ts';
import { startServices } from '../support/services/start-services.ts';
import type { BenchSetting } from './bench-setting.ts';
import { cleanUp } from './clean-up.ts';
import type { Figure } from './figure.ts';
import { figureTable } from './figure-table.ts';
import { rows } from './rows.ts';

const HELP = `npm run bench [-- [row …] [--json <file>]]

Measures what Berth adds to the parts it stands on, each figure against a reference of the same run. Prints a
table and writes the figures as JSON (dist/bench.json unless given). A missed goal is told, and fails nothing;
a row that can't be measured does.

Rows, all unless named: ${Object.keys(rows).join(', ')}
`;

const GRACE_MS = 2000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' }, json: { type: 'string', default: 'dist/bench.json' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(rows, name));
if (values.help === true || unknown.length > 0) {
  console.log(unknown.length === 0 ? HELP : `No such row: ${unknown.join(', ')}\n\n${HELP}`);
  process.exitCode = unknown.length === 0 ? 0 : 2;
} else {
  await bench(positionals, resolve(values.json));
}

async function bench(names: string[], file: string): Promise<void> {
  const say = (line: string): void => console.error(line);
  const services = await startServices({ say, signal: new AbortController().signal });
  const { TEST_DOCKER_HOST, TEST_WORKSPACE_IMAGE, TEST_REDIS_URL, TEST_REDIS_SERVER } = services.env;
  const installation = `bench-${randomBytes(4).toString('hex')}`;
  const setting: BenchSetting = {
    dockerHost: must(TEST_DOCKER_HOST),
    image: must(TEST_WORKSPACE_IMAGE),
    editorImage: must(services.env.TEST_EDITOR_IMAGE),
    chromium: must(services.env.TEST_CHROMIUM),
    postgresUrl: must(services.env.TEST_POSTGRES_URL),
    s3: s3Variables(services.env, installation),
    redisUrl: must(TEST_REDIS_URL),
    redisServer: must(TEST_REDIS_SERVER),
    installation,
    folder: services.folder,
    say,
  };
  const leave = async (why: unknown): Promise<void> => {
    say(`the bench was broken off: ${why}`);
    try {
      await cleanUp(setting);
      await sleep(GRACE_MS); // what was being made by then comes to be
      await cleanUp(setting);
      await services.stop();
    } finally {
      process.exit(1);
    }
  };
  for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException'] as const) process.once(event, leave);
  try {
    const figures = await measure(names, setting);
    console.log(figureTable(figures));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `${JSON.stringify({ date: new Date().toISOString(), machine: machine(), figures }, null, 2)}\n`,
    );
    say(`written to ${file}`);
  } finally {
    await cleanUp(setting);
    await services.stop();
  }
}

/** A row that fails is told and fails the run at its end; the others are measured all the same. */
async function measure(names: string[], setting: BenchSetting): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, row] of Object.entries(rows)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const started = performance.now();
    setting.say(`${name} …`);
    try {
      figures.push(...(await row(setting)));
      setting.say(`${name}: ${Math.round((performance.now() - started) / 1000)} s`);
    } catch (error) {
      console.error(`${name} could not be measured:`, error);
      process.exitCode = 1;
    }
    await cleanUp(setting); // what a row leaves would run beside the next
  }
  return figures;
}

function s3Variables(env: Readonly<Record<string, string>>, prefix: string): Record<string, string> {
  return {
    OBJECT_STORE_URL: `s3://${must(env.TEST_S3_BUCKET)}/${prefix}`,
    AWS_ENDPOINT_URL_S3: must(env.TEST_S3_ENDPOINT),
    AWS_REGION: must(env.TEST_S3_REGION),
    AWS_ACCESS_KEY_ID: must(env.TEST_S3_ACCESS_KEY_ID),
    AWS_SECRET_ACCESS_KEY: must(env.TEST_S3_SECRET_ACCESS_KEY),
  };
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} cores, ${first?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}
