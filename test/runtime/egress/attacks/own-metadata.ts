import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where clouds give credentials away, in all forms that an attack comes to. */
const ADDRESSES = [
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fd00:ec2::254/128',
  '64:ff9b::a9fe:a9fe/128',
  '64:ff9b:1::a9fe:a9fe/128',
  '2002:a9fe:a9fe::/128',
  '2002:a9fe:a9fe::1/128',
  '2001:0:1::5601:5601/128',
];

/** Has those addresses on an interface of the run's own: a proxy that fell for an attack would stay on this machine. */
export class OwnMetadata implements AsyncDisposable {
  readonly #interface: string;

  private constructor(name: string) {
    this.#interface = name;
  }

  static async make(): Promise<OwnMetadata> {
    const name = `bm${randomBytes(4).toString('hex')}`;
    await run('ip', ['link', 'add', name, 'type', 'bridge']);
    const made = new OwnMetadata(name);
    try {
      await run('ip', ['link', 'set', name, 'up']);
      for (const address of ADDRESSES) {
        await run('ip', [
          'address',
          'add',
          address,
          'dev',
          name,
          ...(address.includes(':') ? ['nodad'] : []),
        ]);
      }
      return made;
    } catch (error) {
      await made[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('ip', ['link', 'delete', this.#interface]);
  }
}
