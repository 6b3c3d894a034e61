import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEngine, followProgress, imageId } from '../../images/builder/engine.ts';
import { docker, workspaceImage } from './services/provided.ts';

export const TINY_IMAGE = 'berth-test-tiny';

/** An image that runs a script of Node, for a workspace; built once for its script. */
export async function tinyImage(script: string): Promise<string> {
  const program = JSON.stringify(['node', '--eval', script]);
  const dockerfile = [`FROM ${workspaceImage()}`, 'ENTRYPOINT []', `CMD ${program}`].join('\n');
  const tag = `${TINY_IMAGE}:${createHash('sha256').update(dockerfile).digest('hex').slice(0, 12)}`;
  const engine = connectEngine(docker().host);
  if ((await imageId(engine, tag)) !== undefined) return tag;
  const context = mkdtempSync(join(tmpdir(), 'berth-tiny-'));
  try {
    writeFileSync(join(context, 'Dockerfile'), dockerfile);
    await followProgress(await engine.buildImage({ context, src: ['Dockerfile'] }, { t: tag }));
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
  return tag;
}
