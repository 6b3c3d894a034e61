import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { CommandArgs } from '@pulumi/command/local/command.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { ResourceKind } from '../provider.ts';

type Args = Unwrap<CommandArgs>;

/** A command that is run when the resource goes, and only then. Any change of it is made in place. */
export const command: ResourceKind<Args> = {
  inputs: ['interpreter', 'environment', 'delete'],
  named: false,
  create: async () => ({
    id: `command${randomBytes(4).toString('hex')}`,
    properties: { stdout: '', stderr: '' },
  }),
  update: async () => ({ stdout: '', stderr: '' }),
  async delete(_id, { interpreter = ['/bin/sh', '-c'], environment = {}, delete: last }) {
    if (last === undefined) return;
    const [program = '', ...args] = [...interpreter, last];
    const env = { ...process.env, ...environment };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        said += data;
      });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`exit status ${code}: running ${JSON.stringify(last)}:\n${said}`);
  },
};
