import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireObject } from '../wire-values.ts';

/** Names the folder of all that there is in the AWS of a test, for whichever process of the provider's. */
export const RECORDER = 'BERTH_TEST_AWS';

/** One thing on AWS. */
export interface Recorded {
  /** As `aws:ec2/vpc:Vpc`. */
  readonly token: string;
  readonly id: string;
  readonly inputs: WireObject;
  /** What AWS made up. */
  readonly properties: WireObject;
}

/** The account of a test: a file a thing. Values are in it in the clear. */
export class Recorder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  put(thing: Recorded): void {
    writeFileSync(this.#file(thing.token, thing.id), JSON.stringify(thing));
  }

  remove(token: string, id: string): void {
    rmSync(this.#file(token, id), { force: true });
  }

  all(): Recorded[] {
    return readdirSync(this.#folder).map((file) =>
      JSON.parse(readFileSync(join(this.#folder, file), 'utf8')),
    );
  }

  of(token: string): Recorded[] {
    return this.all().filter((thing) => thing.token === token);
  }

  ids(token: string): string[] {
    return this.of(token).map(({ id }) => id);
  }

  #file(token: string, id: string): string {
    return join(this.#folder, createHash('sha256').update(`${token} ${id}`).digest('hex'));
  }
}
