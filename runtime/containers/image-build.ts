import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { VARIABLES } from '../contracts/environment.ts';
import { BerthError } from '../contracts/errors.ts';
import { OUR_IMAGES } from '../contracts/image-reference.ts';
import { variableNames } from '../contracts/load-config.ts';
import { VERSION } from '../version.ts';
import type { ImageBuild } from './image-preparation.ts';

/** Builds one of this repository's images in a child process, where the sources are at hand. */
export function imageBuildFrom(
  script: URL,
  image: string,
  env: Record<string, string | undefined>,
): ImageBuild | undefined {
  const path = fileURLToPath(script);
  if (!existsSync(path)) return undefined;
  return async (onProgress, signal) => {
    const child = spawn(process.execPath, [path, image], {
      env: withoutSecrets(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    let last = '';
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        last = line;
        onProgress(line);
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.once('error', reject);
    child.once('close', resolve);
    if ((await promise) !== 0)
      throw new BerthError('IMAGE_PULL_FAILED', `${image} could not be built: ${last}`);
  };
}

/** Those of this version that users' work runs in, by their exact names. None where the sources are not at hand. */
export function buildsOfOurs(
  script: URL,
  env: Record<string, string | undefined>,
): ReadonlyMap<string, ImageBuild> {
  return new Map(
    OUR_IMAGES.flatMap((image) => {
      const build = imageBuildFrom(script, image, env);
      return build === undefined ? [] : [[`${image}:${VERSION}`, build] as const];
    }),
  );
}

function withoutSecrets(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const secret = new Set<string>(variableNames().filter((name) => VARIABLES[name].secret));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name)));
}
