import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectEngine } from '../../../../images/builder/engine.ts';
import { CONVERSATION_LIMITS } from '../../../../runtime/contracts/container-limits.ts';
import { describeWith, docker } from '../../../support/services/provided.ts';
import { useDockerContainer } from './docker-container.ts';

const MB = 1_000_000;

describeWith(['docker', 'workspace-base-image'], 'a greedy container', () => {
  const greedy = useDockerContainer();
  const neighbour = useDockerContainer();

  const expectOthersWell = async () => {
    await neighbour().backend.ping();
    expect(await neighbour().agent.proves()).toBe(true);
    expect(await neighbour().agent.bash('echo well')).toBe('well');
  };

  it('gets no more processes than it may have', async () => {
    const { stdout } = await greedy().agent.python(`
import os, signal, time
children = []
try:
    for _ in range(600):
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        children.append(child)
except BlockingIOError:
    pass
print(len(children), flush=True)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)`);
    expect(Number(stdout)).toBeGreaterThan(100);
    expect(Number(stdout)).toBeLessThan(CONVERSATION_LIMITS.pids);
    await expectOthersWell();
    expect(await greedy().agent.proves()).toBe(true);
  });

  it('gets no more memory than it may have', async () => {
    const result = await greedy().agent.python('x = b"x" * (3 << 30); print("got it")');
    expect(result.stdout).not.toContain('got it');
    expect(result.exit_code).not.toBe(0);
    await expectOthersWell();
  });

  it('fills no disk with its log', async () => {
    const { backend, spec, agent } = greedy();
    expect(
      await agent.bash('yes "$(printf %01000d 0)" | head -c 60000000 > /proc/1/fd/1; echo written'),
    ).toBe('written');
    const engineId = (await backend.inspect(spec.id))?.engineId ?? '';
    const { DockerRootDir } = await connectEngine(docker().host).info();
    expect(await sizeOf(join(DockerRootDir, 'containers', engineId))).toBeLessThan(25 * MB);
    const logs = await backend.logs(spec.id, { tail: 1_000_000 });
    expect(Buffer.byteLength(logs)).toBeGreaterThan(100_000);
    expect(Buffer.byteLength(logs)).toBeLessThanOrEqual(1024 * 1024);
    expect((await backend.logs(spec.id, { tail: 2 })).trim().split('\n')).toHaveLength(2);
    await expectOthersWell();
  });
});

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => {
      // The engine turns its logs over meanwhile.
      const found = await stat(join(file.parentPath, file.name)).catch(() => undefined);
      return found?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
