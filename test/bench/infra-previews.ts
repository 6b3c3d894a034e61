import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CERTIFICATE } from '../support/pulumi/certificate.ts';
import { findPulumi, REMEDY } from '../support/pulumi/engine.ts';
import { TestStack } from '../support/pulumi/run.ts';
import { type Figure, median, timed } from './figure.ts';

const PROGRAM_START = fileURLToPath(new URL('infra-program-start.ts', import.meta.url));
const STACKS = ['dev', 'prod'] as const;
const ROUNDS = 5;

/** Of each stack: `pulumi preview` on a real engine, and from the start of Node to what the program registers first. */
export async function infraPreviews(dockerHost: string, say: (line: string) => void): Promise<Figure[]> {
  const found = await findPulumi(say);
  if ('problem' in found) throw new Error(`There is no Pulumi: ${found.problem}. To have it: ${REMEDY}`);
  const figures: Figure[] = [];
  for (const stack of STACKS) {
    using made = await TestStack.create({
      engine: found.folder,
      project: `bench-${randomBytes(4).toString('hex')}`,
      stack,
      env: { DOCKER_HOST: dockerHost },
    });
    if (stack === 'prod') await made.config('berth:certificateArn', CERTIFICATE);
    await made.preview(); // the first also makes the images' contexts
    const previews: number[] = [];
    const starts: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      previews.push(await timed(() => made.preview()));
      starts.push(await programStart(stack));
    }
    figures.push(
      { name: `pulumi preview of ${stack}`, unit: 'ms', ours: median(previews), goal: 15_000 },
      {
        name: `program start to first registration, ${stack}`,
        unit: 'ms',
        ours: median(starts),
        goal: 2_000,
      },
    );
  }
  return figures;
}

/** Its exit code says nothing: it goes while there is more to register. */
async function programStart(stack: string): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM_START, stack], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (!/^[\d.]+\n$/.test(printed)) throw new Error(`The program of ${stack} registered nothing:\n${said}`);
  return Number(printed);
}
