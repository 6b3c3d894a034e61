import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEngine, followProgress, imageId } from '../../../../images/builder/engine.ts';
import { docker, workspaceImage } from '../../../support/services/provided.ts';
import { TEST_APP } from './process-apps.ts';

/** An image of the test program, on our own for the sake of its Node; built once for its sources. */
export async function buildTestApp(): Promise<string> {
  const dockerfile = [
    `FROM ${workspaceImage()}`,
    'USER root',
    'RUN mkdir -p /home/coder && chown 1000:1000 /home/coder',
    'COPY test-app.ts /opt/test-app/test-app.ts',
    'USER 1000:1000',
    'WORKDIR /home/coder',
    'CMD ["node", "/opt/test-app/test-app.ts"]',
  ].join('\n');
  const hash = createHash('sha256').update(dockerfile).update(readFileSync(TEST_APP)).digest('hex');
  const tag = `berth-test-app:${hash.slice(0, 12)}`;
  const engine = connectEngine(docker().host);
  if ((await imageId(engine, tag)) !== undefined) return tag;
  const context = mkdtempSync(join(tmpdir(), 'berth-app-'));
  try {
    writeFileSync(join(context, 'Dockerfile'), dockerfile);
    copyFileSync(TEST_APP, join(context, 'test-app.ts'));
    const built = await engine.buildImage({ context, src: ['Dockerfile', 'test-app.ts'] }, { t: tag });
    await followProgress(built);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
  return tag;
}
