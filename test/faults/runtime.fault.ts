import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onEngine } from '../support/container-place.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { start } from './suites/started-runtime.ts';
import { runtimeIsStopped } from './suites/stopped-runtime.ts';

describeWith(['docker', 'workspace-base-image'], 'when the runtime is stopped or broken', () => {
  runtimeIsStopped(onEngine);

  it('started a second time on the same data directory: says who has it', async () => {
    await using first = await start(onEngine());
    const { code, output } = await RuntimeProcess.failing({ env: onEngine().env, dataDir: first.dataDir });
    expect(code).toBe(1);
    expect(output).toContain(`is in use by process ${first.child.pid}`);
  });

  it('started on a taken port: says so', async () => {
    await using first = await start(onEngine());
    const { code, output } = await RuntimeProcess.failing({
      env: { ...onEngine().env, PORT: new URL(first.url).port },
    });
    expect(code).toBe(1);
    expect(output).toMatch(/EADDRINUSE.*set PORT to a free one/);
  });

  it('that would choose another backend than before stops and says so', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'berth-choice-'));
    const first = await start(onEngine(), {}, dataDir);
    await first.stop();
    const env = { DOCKER_HOST: 'unix:///nowhere.sock' };
    const { code, output } = await RuntimeProcess.failing({ env, dataDir });
    expect(code).toBe(1);
    expect(output).toMatch(/was used with the docker backend, and now process would be chosen/);
    rmSync(dataDir, { recursive: true });
  });
});
