import { z } from 'zod';
import { BerthError } from '../../contracts/errors.ts';
import type { EngineClient } from './engine-client.ts';
import { isRefusal } from './engine-errors.ts';

/** One line of the engine's account; anything else in it is not for us. */
const Line = z.object({
  status: z.string().optional(),
  id: z.string().optional(),
  error: z.string().optional(),
});

/** What a registry says of an image that there is not, or not for us. */
const FINAL = /manifest unknown|not found|does not exist|denied|unauthorized|invalid reference/i;

/** Gets an image from its registry. Throws `IMAGE_PULL_FAILED`. */
export async function pullImage(
  engine: Pick<EngineClient, 'pull'>,
  image: string,
  onProgress: (line: string) => void,
): Promise<void> {
  const steps = new Map<string, string>();
  let problem: string | undefined;
  try {
    await engine.pull(withTag(image), (text) => {
      const { status, id = '', error } = parseLine(text);
      if (error !== undefined) problem = error;
      // A layer's download is told many times a second; one line a step will do.
      if (status === undefined || steps.get(id) === status) return;
      steps.set(id, status);
      onProgress(id === '' ? status : `${id}: ${status}`);
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    problem = error.message;
  }
  if (problem === undefined) return;
  throw new BerthError('IMAGE_PULL_FAILED', `${image}: ${problem}`, { final: FINAL.test(problem) });
}

/** Without one the engine would pull every tag there is. */
function withTag(image: string): string {
  return /[@:]/.test(image.slice(image.lastIndexOf('/') + 1)) ? image : `${image}:latest`;
}

function parseLine(text: string): z.infer<typeof Line> {
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
