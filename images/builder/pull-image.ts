import type Docker from 'dockerode';
import { followProgress } from './engine.ts';

/** Pulls an image. Gives up once the engine has had nothing to tell for `silenceMs`: its registry is out of reach. */
export async function pullImage(
  engine: Docker,
  reference: string,
  say: (line: string) => void,
  silenceMs = 20_000,
): Promise<void> {
  const giveUp = new AbortController();
  const silence = setTimeout(() => giveUp.abort(), silenceMs);
  say(`pulling ${reference}`);
  try {
    const stream = await engine.pull(reference, { abortSignal: giveUp.signal });
    await followProgress(stream, () => silence.refresh());
  } catch (error) {
    if (giveUp.signal.aborted) throw new Error(`the registry did not answer in ${silenceMs / 1000} s`);
    throw error;
  } finally {
    clearTimeout(silence);
  }
}
