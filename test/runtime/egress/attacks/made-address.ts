import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * An address on this machine that is made for a test and goes with it. A public one is of 3ffe::/16, which was given
 * back and is nobody's: what is sent there goes nowhere else.
 */
export class MadeAddress implements AsyncDisposable {
  readonly address: string;

  private constructor(address: string) {
    this.address = address;
  }

  static async make(kind: 'public' | 'private'): Promise<MadeAddress> {
    // Canonical as it is: no group begins with a zero.
    const groups = [randomInt(0x1000, 0xffff), randomInt(0x1000, 0xffff)].map((group) => group.toString(16));
    const address = `${kind === 'public' ? '3ffe' : 'fd7a'}:${groups.join(':')}::1`;
    await run('ip', ['-6', 'address', 'add', `${address}/128`, 'dev', 'lo', 'nodad']);
    return new MadeAddress(address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('ip', ['-6', 'address', 'delete', `${this.address}/128`, 'dev', 'lo']);
  }
}
