import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectEngine } from '../../../images/builder/engine.ts';
import { timed } from '../figure.ts';

/** What an archive is of, as the runtime has it: the level of zstd, its checksum, the format of tar. */
const PACK = 'tar --create --format=posix --sparse --numeric-owner --directory="$home" .';

/** What passes by is hashed, as the runtime does it. */
const hashed = (into: string) => `mkfifo "$store/passing"
sha256sum < "$store/passing" > "$store/${into}" & hashing=$!`;
const HASHED = 'wait "$hashing"; rm "$store/passing"';

const ARCHIVE = `
${hashed('written')}
${PACK} | zstd -1 --check --quiet | tee "$store/passing" > "$store/archive"
${HASHED}
sync "$store/archive"
${hashed('found')}
entries=$(tee "$store/passing" < "$store/archive" | zstd --decompress --quiet | tar --list | wc --lines)
${HASHED}
cmp "$store/written" "$store/found"
test "$entries" = "$(find "$home" | wc --lines)"
rm --recursive "$home"
`;

const RESTORE = `
mkdir "$home"
${hashed('found')}
tee "$store/passing" < "$store/archive" | zstd --decompress --quiet |
  tar --extract --same-permissions --numeric-owner --delay-directory-restore --directory="$home"
${HASHED}
cmp "$store/written" "$store/found"
sync --file-system "$home"
`;

/** A home that is archived and restored with programs of Debian's, where runtimes of the bench have their objects. */
export class HomeByHand implements Disposable {
  readonly #store = mkdtempSync(join(tmpdir(), 'berth-bench-'));

  /** A copy of a volume's files. */
  static async of(dockerHost: string, volume: string): Promise<HomeByHand> {
    const { Mountpoint } = await connectEngine(dockerHost).getVolume(volume).inspect();
    const made = new HomeByHand();
    await promisify(execFile)('cp', ['--archive', Mountpoint, made.#home]);
    return made;
  }

  /** Written, read back to its end, and then the home is removed. */
  archive(): Promise<number> {
    return timed(() => this.#run(ARCHIVE));
  }

  restore(): Promise<number> {
    return timed(() => this.#run(RESTORE));
  }

  [Symbol.dispose](): void {
    rmSync(this.#store, { recursive: true });
  }

  get #home(): string {
    return join(this.#store, 'home');
  }

  async #run(script: string): Promise<void> {
    const program = ['-c', `set -euo pipefail\n${script}`];
    await promisify(execFile)('bash', program, {
      env: { PATH: process.env.PATH, LC_ALL: 'C', home: this.#home, store: this.#store },
    });
  }
}
