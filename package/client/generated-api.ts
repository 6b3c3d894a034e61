import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { apiTypes } from './api-types.ts';
import { servedDocument } from './served-document.ts';

export const apiFile = fileURLToPath(new URL('../../runtime/client/api.ts', import.meta.url));
const biome = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));

/** What that file should hold, formatted as everything here is. */
export async function generatedApi(): Promise<string> {
  return execFileSync(biome, ['format', `--stdin-file-path=${apiFile}`], {
    input: apiTypes(await servedDocument()),
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
}
