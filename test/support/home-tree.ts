import { execFile } from 'node:child_process';
import type Docker from 'dockerode';

/** Runs a script of Node in a home, as root where the test is, with the home's folder as its first argument. */
export type RunInHome = (script: string, ...args: string[]) => Promise<string>;

/** In a folder of this machine. */
export function inFolder(path: string): RunInHome {
  return (script, ...args) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const program = ['--input-type=module', '--eval', script, path, ...args];
    execFile(process.execPath, program, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    return promise;
  };
}

/** In a folder of this machine, as a user who may read and write everything there is, and owns what it makes. */
export function inFolderAs(user: number, path: string): RunInHome {
  const may = '+dac_override,+dac_read_search,+fowner,+fsetid';
  return (script, ...args) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const become = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', `--inh-caps=${may}`];
    const program = [process.execPath, '--input-type=module', '--eval', script, path, ...args];
    const options = { maxBuffer: 64 * 1024 * 1024 };
    execFile('setpriv', [...become, `--ambient-caps=${may}`, ...program], options, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    return promise;
  };
}

/** In a volume of an engine, in a container of its own. */
export function inVolume(engine: Docker, image: string, volume: string): RunInHome {
  return async (script, ...args) => {
    const container = await engine.createContainer({
      Image: image,
      User: '0:0',
      Entrypoint: ['node', '--input-type=module', '--eval', script, '/volume', ...args],
      HostConfig: { NetworkMode: 'none', Mounts: [{ Type: 'volume', Source: volume, Target: '/volume' }] },
    });
    try {
      await container.start();
      const { StatusCode: code } = await container.wait();
      const stdout = await container.logs({ stdout: true, stderr: false });
      if (code === 0) return unframed(stdout);
      throw new Error(unframed(await container.logs({ stdout: false, stderr: true })));
    } finally {
      await container.remove({ force: true });
    }
  };
}

/**
 * Fills a home with what is hard to keep: a thousand files, odd names, modes, owners, links, holes, times. `readable`:
 * nothing that its owner may not read.
 */
export async function makeTree(run: RunInHome, { files = 1000, readable = false } = {}): Promise<void> {
  await run(MAKE, String(files), readable ? 'readable' : '');
}

/** All that there is in a home, one line an entry: two homes are the same when these are. */
export async function describeTree(run: RunInHome): Promise<string[]> {
  return (await run(DESCRIBE)).split('\n').filter((line) => line !== '');
}

/** The engine's frames, taken apart. */
function unframed(frames: Buffer): string {
  const texts: Buffer[] = [];
  for (let at = 0; at + 8 <= frames.length; ) {
    const length = frames.readUInt32BE(at + 4);
    texts.push(frames.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(texts).toString();
}

const MAKE = String.raw`
import * as fs from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
const [, home, files, readable] = process.argv;
const legible = (mode, least) => (readable === 'readable' ? mode | least : mode);
const isRoot = process.getuid() === 0;
process.umask(0);
const path = (name) => Buffer.concat([Buffer.from(home + '/'), Buffer.from(name)]);
const bytes = (seed, length) => {
  const pieces = [];
  for (let at = 0; at < length; at += 32) pieces.push(createHash('sha256').update(seed + ':' + at).digest());
  return Buffer.concat(pieces).subarray(0, length);
};
const file = (name, content = bytes(String(name), 100)) => { fs.writeFileSync(path(name), content); return name; };

const MODES = [0o644, 0o600, 0o755, 0o000, 0o444, 0o4755, 0o2755, 0o1644, 0o666];
const OWNERS = [[1000, 1000], [0, 0], [1000, 70000], [4000000000, 4000000001]];
const TIMES = [1700000000.123456, 0, 1234567890, 4102444800.5];
const directories = ['many'];
fs.mkdirSync(path('many'));
for (let at = 0; at < Number(files); at += 1) {
  if (at % 100 === 0) { directories.push('many/' + at); fs.mkdirSync(path('many/' + at)); }
  const name = file('many/' + (at - (at % 100)) + '/file-' + at, bytes('many' + at, (at * 37) % 5000));
  if (isRoot) fs.chownSync(path(name), ...OWNERS[at % OWNERS.length]);
  fs.chmodSync(path(name), legible(MODES[at % MODES.length], 0o400));
  fs.utimesSync(path(name), 1, TIMES[at % TIMES.length]);
}

fs.mkdirSync(path('odd'));
directories.push('odd');
const odd = [
  'new\nline', 'two\n\nlines\n', ' blank ', 'tab\t', 'quote\'"', 'back\\slash', '\\012', '-dash', '--exclude=x', '*', '[a]',
  '$(touch x)', 'emoji-\u{1f600}', 'entries 7\n', 'x\n13 size=999\n', Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0xc3]),
  'n'.repeat(255), 'o'.repeat(101), '.berth-restored', 'ends with a dot.', '\x01\x7f',
];
for (const name of odd) file(Buffer.concat([Buffer.from('odd/'), Buffer.from(name)]));
let deep = 'deep';
for (let at = 0; at < 8; at += 1) {
  fs.mkdirSync(path(deep)); directories.push(deep);
  file(deep + '/13 size=999\n' + 'f'.repeat(150));
  deep += '/' + String(at).repeat(180);
}

fs.mkdirSync(path('links')); directories.push('links');
const links = { dangling: 'nowhere', absolute: '/etc/hostname', up: '../../../../..', folder: '../many', long: 't/'.repeat(300), 'new\nline': 'a\nb' };
for (const [name, target] of Object.entries(links)) {
  fs.symlinkSync(target, path('links/' + name));
  if (isRoot) fs.lchownSync(path('links/' + name), 1000, 1000);
  fs.lutimesSync(path('links/' + name), 1, 1600000000);
}
file('links/one', bytes('one', 100000));
fs.linkSync(path('links/one'), path('links/two'));
fs.linkSync(path('links/one'), path('many/three'));
fs.linkSync(path('links/dangling'), path('links/dangling too'));

const holes = (name, size, islands) => {
  const open = fs.openSync(path(name), 'w');
  fs.ftruncateSync(open, size);
  for (const [at, length] of islands) fs.writeSync(open, bytes(name + at, length), 0, length, at);
  fs.closeSync(open);
};
holes('sparse', 64 * 1024 * 1024, [[0, 10], [4096 * 1000, 9000], [4096 * 9000, 4096]]);
holes('only a hole', 5 * 1024 * 1024, []);
holes('large', 9 * 1024 ** 3, [[8.5 * 1024 ** 3, 5]]);
file('empty', '');
execFileSync('mkfifo', [path('pipe').toString()]);

for (const [name, mode] of [['closed', 0o000], ['read only', 0o555], ['sticky', 0o1777], ['setgid', 0o2775], ['empty folder', 0o700]]) {
  fs.mkdirSync(path(name));
  if (name !== 'empty folder') file(name + '/file');
  if (isRoot) fs.chownSync(path(name), 1000, 1000);
  fs.chmodSync(path(name), legible(mode, 0o500));
  directories.push(name);
}
for (const name of directories.reverse()) fs.utimesSync(path(name), 1, 1500000000.25);
if (isRoot) fs.chownSync(home, 1000, 1000);
fs.chmodSync(home, 0o750);
`;

const DESCRIBE = String.raw`
import * as fs from 'node:fs';
import { createHash } from 'node:crypto';
const [, home] = process.argv;
const MARKER = '.berth-restored';
const firsts = new Map();
const lines = [];
const hashOf = (path, { size, blocks }) => {
  // Of what has mostly holes, the ends of the holes would take too long to find.
  if (size > 1024n ** 3n) {
    const open = fs.openSync(path, 'r');
    const tail = Buffer.alloc(5);
    fs.readSync(open, tail, 0, 5, 8.5 * 1024 ** 3);
    fs.closeSync(open);
    return tail.toString('hex');
  }
  return createHash('sha256').update(fs.readFileSync(path)).digest('hex');
};
const show = (path, name) => {
  const stat = fs.lstatSync(path, { bigint: true });
  const said = [JSON.stringify(name.toString('latin1')), (Number(stat.mode)).toString(8), stat.uid + ':' + stat.gid];
  if (name.length > 0) said.push('mtime ' + stat.mtimeNs);
  if (stat.isSymbolicLink()) said.push('-> ' + JSON.stringify(fs.readlinkSync(path, 'latin1')));
  if (stat.isFile()) {
    said.push(stat.size + ' bytes', hashOf(path, stat));
    if (stat.blocks * 512n < stat.size / 2n) said.push('with holes');
  }
  if (!stat.isDirectory() && stat.nlink > 1n) {
    const first = firsts.get(stat.ino);
    if (first === undefined) firsts.set(stat.ino, said[0]);
    said.push(stat.nlink + ' links', 'as ' + (first ?? 'itself'));
  }
  lines.push(said.join(' '));
  if (!stat.isDirectory()) return;
  const names = fs.readdirSync(path, { encoding: 'buffer' }).sort(Buffer.compare);
  for (const each of names) {
    if (name.length === 0 && each.toString() === MARKER) continue;
    const below = name.length === 0 ? each : Buffer.concat([name, Buffer.from('/'), each]);
    show(Buffer.concat([path, Buffer.from('/'), each]), below);
  }
};
show(Buffer.from(home), Buffer.alloc(0));
process.stdout.write(lines.join('\n') + '\n');
`;
