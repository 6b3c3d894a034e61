import { cpSync, existsSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type Plugin, rolldown } from 'rolldown';

export interface BundleRequest {
  readonly entry: string;
  /** The entry's name in `folder`. */
  readonly name: string;
  readonly folder: string;
  /** Folders whose files, sources aside, the program reads while it runs. */
  readonly readsFrom?: readonly string[];
  /** Everything in one file, also what is only loaded when it is needed. */
  readonly oneFile?: boolean;
  /** Programs of their own in the same folder, each in one file. */
  readonly besides?: readonly Pick<BundleRequest, 'entry' | 'name'>[];
}

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** Where the files that a program reads go, under the same paths as in the repository. */
const filesFolder = 'files';

/** Bundles a program and all it imports into plain JavaScript for Node. */
export async function bundle(request: BundleRequest): Promise<void> {
  const { entry, name, folder, readsFrom = [], oneFile, besides = [] } = request;
  if (!existsSync(entry)) throw new Error(`There is no ${relative(repository, entry)} to bundle.`);
  try {
    await using build = await rolldown({
      input: entry,
      platform: 'node',
      plugins: [stubNeverUsed, keepFilesInReach],
      logLevel: 'silent',
      tsconfig: false,
    });
    await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: name,
      chunkFileNames: '[name]-[hash].mjs',
      codeSplitting: oneFile !== true,
    });
  } catch (error) {
    throw new Error(`Could not bundle ${relative(repository, entry)}: ${firstProblem(error)}`);
  }
  for (const from of readsFrom) {
    const to = join(folder, filesFolder, relative(repository, from));
    cpSync(from, to, { recursive: true, filter: (path) => extname(path) !== '.ts' });
  }
  for (const program of besides) await bundle({ ...program, folder, oneFile: true });
}

/** Parts of dockerode that only SSH and BuildKit sessions use; the runtime uses neither. */
const neverUsed = /^(ssh2|cpu-features|@grpc\/grpc-js|@grpc\/proto-loader|protobufjs)$/;

const stubNeverUsed: Plugin = {
  name: 'stub-never-used',
  resolveId: { filter: { id: neverUsed }, handler: (id) => `\0never-used:${id}` },
  load: { filter: { id: /^\0never-used:/ }, handler: () => 'module.exports = {};' },
};

/** A source that looks for a file beside itself (`new URL('./lua/', import.meta.url)`) finds it in the bundle. */
const keepFilesInReach: Plugin = {
  name: 'keep-files-in-reach',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.url/ },
    handler(code, id) {
      const place = JSON.stringify(join(filesFolder, relative(repository, id)));
      return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
    },
  },
};

/** rolldown's account has colours, source excerpts and every problem; its first line says enough. */
function firstProblem(error: unknown): string {
  const lines = stripVTControlCharacters(error instanceof Error ? error.message : `${error}`).split('\n');
  return lines.find((line) => /^\[[A-Z_]+\]/.test(line))?.replace(/^\[\w+\] */, '') ?? lines[0] ?? '';
}
