import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectEngine } from '../../../../images/builder/engine.ts';
import { labelsFor } from '../../../../runtime/containers/ownership.ts';
import { agentOf, containerSpec } from '../../../contract/container-backend/specs.ts';
import { must } from '../../../support/must.ts';
import { describeWith, docker, workspaceImage } from '../../../support/services/provided.ts';
import { openDockerBackend, useDockerContainer } from './docker-container.ts';

describeWith(['docker', 'workspace-base-image'], 'after a crash in the middle of a creation', () => {
  const container = useDockerContainer();

  it('a container whose socket was not moved is made anew: user code may have run beside it', async () => {
    const { backend, spec, base, agent } = container();
    const before = must(await backend.inspect(spec.id));
    rmSync(join(base, spec.id, 'agent.sock'));
    await backend.create(spec);
    expect((await backend.inspect(spec.id))?.engineId).not.toBe(before.engineId);
    expect(await agent.proves()).toBe(true);
  });

  it('a container that was made but never started is made anew, and so is its folder', async () => {
    const { backend, base } = container();
    const given = containerSpec(workspaceImage());
    await connectEngine(docker().host).createContainer({
      name: given.id,
      Image: given.image,
      Labels: labelsFor(given, { installation: 'docker-tests', version: '1.2.3' }, new Date()),
    });
    mkdirSync(join(base, given.id, 'agent'), { recursive: true });
    writeFileSync(join(base, given.id, 'agent', 'agent.sock'), 'left behind');
    expect((await backend.inspect(given.id))?.state).toBe('created');
    await backend.create(given);
    expect(await agentOf(backend, given).proves()).toBe(true);
    await backend.destroy(given.id);
    expect(existsSync(join(base, given.id))).toBe(false);
  });

  it('the next start removes folders without a container, unless they are fresh', async () => {
    const { backend, spec, base } = container();
    const folders = ['ws-0000000000aa', 'ws-0000000000bb'].map((id) => join(base, id));
    for (const folder of folders) mkdirSync(folder);
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(must(folders[0]), anHourAgo, anHourAgo);
    utimesSync(join(base, spec.id), anHourAgo, anHourAgo);
    const next = openDockerBackend(base);
    await next.list('conversation');
    expect(readdirSync(base).sort()).toEqual(['ws-0000000000bb', spec.id].sort());
    await next.close();
    expect((await backend.inspect(spec.id))?.state).toBe('running');
  });
});
