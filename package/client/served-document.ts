import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildRuntime } from '../../runtime/build-runtime.ts';
import { loadConfig } from '../../runtime/contracts/load-config.ts';
import type { OpenApiDocument } from './api-types.ts';

/** The document as a runtime serves it that nothing was set of, and that runs nothing. */
export async function servedDocument(): Promise<OpenApiDocument> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-client-'));
  const env = {
    PATH: process.env.PATH,
    BERTH_DATA_DIR: folder,
    PORT: '0',
    CONTAINER_MANAGER_TYPE: 'process',
    BERTH_ALLOW_UNISOLATED: '1', // no container is made
    WARM_POOL_MIN_SIZE: '0',
    WARM_POOL_MAX_SIZE: '0',
  };
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  try {
    const runtime = await buildRuntime(loaded.config, env, pino({ level: 'silent' }));
    try {
      const answer = await fetch(`${runtime.url}/openapi.json`);
      return (await answer.json()) as OpenApiDocument; // made by our own schemas
    } finally {
      await runtime.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
