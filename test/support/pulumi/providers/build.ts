import type Docker from 'dockerode';
import { followProgress } from '../../../../images/builder/engine.ts';
import { filesIn } from '../../../../images/builder/image-context.ts';

/** Builds a folder with the engine's own builder. Throws with the end of what it said. */
export async function buildFolder(
  engine: Docker,
  folder: string,
  options: Docker.ImageBuildOptions,
): Promise<void> {
  const said: string[] = [];
  try {
    const context = { context: folder, src: filesIn(folder) };
    const stream = await engine.buildImage(context, { ...options, forcerm: true });
    await followProgress(stream, (line) => said.push(line));
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new Error(`${folder} does not build: ${why}\n${said.slice(-20).join('\n')}`);
  }
}
