import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { DockerBackend } from '../../runtime/containers/docker/docker-backend.ts';
import { call } from './agent-call.ts';
import type { BenchSetting } from './bench-setting.ts';
import { benchContainer, ContainersByHand } from './container-by-hand.ts';
import { byTurns, type Figure, timed } from './figure.ts';

/** From nothing to an answered `/health`, by the backend and by hand with the very same options. */
export async function coldStart(setting: BenchSetting): Promise<Figure> {
  const { dockerHost, installation, image } = setting;
  const base = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const backend = new DockerBackend({ dockerHost, installation, version: '0', socketBasePath: base });
  const hand = new ContainersByHand(setting, base);

  async function ours(): Promise<number> {
    const container = benchContainer(image);
    const ms = await timed(async () => {
      await backend.create(container);
      const endpoint = await backend.endpoint(container.id, 'agent');
      if (endpoint.kind === 'socket') await call({ socketPath: endpoint.path, path: '/health' });
    });
    await backend.destroy(container.id, { stopSeconds: 0 });
    return ms;
  }

  async function byHand(): Promise<number> {
    let made: Docker.Container | undefined;
    const ms = await timed(async () => {
      made = await hand.create();
    });
    await made?.remove({ force: true });
    return ms;
  }

  try {
    const result = await byTurns(9, ours, byHand);
    return {
      name: "cold start to the agent's /health",
      unit: 'ms',
      ours: result.ours,
      reference: { name: 'dockerode by hand', value: result.reference },
      goal: 1.15,
    };
  } finally {
    await backend.close();
    rmSync(base, { recursive: true, force: true });
  }
}
