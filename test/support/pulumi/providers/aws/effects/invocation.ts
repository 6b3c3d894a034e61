import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { InvocationArgs } from '@pulumi/aws/lambda/invocation.js';
import type { Unwrap } from '@pulumi/pulumi';
import { z } from 'zod';
import type { Effects } from '../aws-type.ts';
import type { Recorder } from '../recorder.ts';

type Args = Unwrap<InvocationArgs>;
/** What the real provider puts into the input as `tf`. */
interface LifeCycle {
  action: 'create' | 'update' | 'delete';
  prev_input: unknown;
}

/** What we need of a function: one file of JavaScript, and the function in it that is entered. */
const FunctionInputs = z.object({
  handler: z.literal('index.handler'),
  role: z.string(),
  code: z.object({ assets: z.object({ 'index.mjs': z.object({ path: z.string() }) }) }),
});

/** Runs the function for real in a Node of its own, as its role, at each step of the resource's life. */
export const invocation: Effects<Args> = {
  async created(args, _, recorder) {
    return { result: await invoke(args, { action: 'create', prev_input: null }, recorder) };
  },
  async updated(args, { token, id }, recorder) {
    const before = recorder.of(token).find((each) => each.id === id)?.inputs.input;
    const prev_input = JSON.parse(String(before));
    return { result: await invoke(args, { action: 'update', prev_input }, recorder) };
  },
  async deleting(args, _, recorder) {
    await invoke(args, { action: 'delete', prev_input: JSON.parse(args.input) }, recorder);
  },
};

async function invoke(args: Args, tf: LifeCycle, recorder: Recorder): Promise<string> {
  if (args.lifecycleScope !== 'CRUD')
    throw new Error('This provider has invocations of the scope CRUD only.');
  const found = recorder.of('aws:lambda/function:Function').find(({ id }) => id === args.functionName);
  if (found === undefined)
    throw new Error(`ResourceNotFoundException: Function not found: ${args.functionName}`);
  const { code, role } = FunctionInputs.parse(found.inputs);
  const event = { ...JSON.parse(args.input), tf };
  const program = `import { handler } from ${JSON.stringify(code.assets['index.mjs'].path)};
    console.log(JSON.stringify(await handler(${JSON.stringify(event)})));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, AWS_ACCESS_KEY_ID: role.slice(role.lastIndexOf('/') + 1) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, wrong, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (status !== 0) throw new Error(`The function ${args.functionName} failed:\n${wrong.trim()}`);
  return said.trim();
}
