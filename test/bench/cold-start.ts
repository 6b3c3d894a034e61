import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { ContainerSpec } from '../../runtime/containers/container-backend.ts';
import { createOptions } from '../../runtime/containers/docker/create-options.ts';
import { DockerBackend } from '../../runtime/containers/docker/docker-backend.ts';
import { SocketFolder } from '../../runtime/containers/socket-folder.ts';
import { CONVERSATION_LIMITS } from '../../runtime/contracts/container-limits.ts';
import { conversationContainerId } from '../../runtime/contracts/ids.ts';
import { call, firstAnswer } from './agent-call.ts';
import { byTurns, type Figure, timed } from './figure.ts';

/** From nothing to an answered `/health`, by the backend and by hand with the very same options. */
export async function coldStart(dockerHost: string, image: string): Promise<Figure> {
  const base = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const backend = new DockerBackend({
    dockerHost,
    installation: 'bench',
    version: '0',
    socketBasePath: base,
  });
  const engine = new Docker({ socketPath: dockerHost.replace('unix://', '') });
  const { NCPU } = await engine.info();
  const spec = (): ContainerSpec => ({
    id: conversationContainerId(randomUUID()),
    role: 'conversation',
    image,
    env: { AGENT_TOKEN: 'a-token-for-the-bench' },
    labels: {},
    limits: CONVERSATION_LIMITS,
    network: 'none',
  });

  async function ours(): Promise<number> {
    const container = spec();
    const ms = await timed(async () => {
      await backend.create(container);
      const endpoint = backend.endpoint(container.id, 'agent');
      if (endpoint.kind === 'socket') await call(endpoint.path, '/health');
    });
    await backend.destroy(container.id, { stopSeconds: 0 });
    return ms;
  }

  async function byHand(): Promise<number> {
    const container = spec();
    const folder = new SocketFolder(base, container.id);
    const options = createOptions(container, {
      user: { uid: 1000, gid: 1000 },
      labels: {},
      folder,
      engine: { cpus: NCPU, apparmor: false, remapsUsers: false },
    });
    let made: Docker.Container | undefined;
    const ms = await timed(async () => {
      mkdirSync(folder.agentFolder, { recursive: true, mode: 0o777 });
      mkdirSync(folder.proxyFolder);
      chmodSync(folder.agentFolder, 0o777);
      made = await engine.createContainer(options);
      await made.start();
      await firstAnswer(join(folder.agentFolder, 'agent.sock'), '/health');
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
