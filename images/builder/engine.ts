import { createInterface } from 'node:readline';
import Docker from 'dockerode';

/**
 * A client for an engine named the way `DOCKER_HOST` names it; without a name, the one that Docker's own client
 * would use. dockerode reads addresses and certificates from the environment, and lets a `DOCKER_HOST` there win
 * over a `socketPath` that it is given.
 */
export function connectEngine(host = process.env.DOCKER_HOST, options: { timeout?: number } = {}): Docker {
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = host ?? '';
  try {
    return new Docker(options);
  } finally {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
  }
}

export async function engineAnswers(host: string | undefined, withinMs = 3_000): Promise<boolean> {
  try {
    await connectEngine(host, { timeout: withinMs }).ping();
    return true;
  } catch {
    return false;
  }
}

/** The id of an image that the engine has. */
export async function imageId(engine: Docker, reference: string): Promise<string | undefined> {
  try {
    return (await engine.getImage(reference).inspect()).Id;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return undefined;
    throw error;
  }
}

/** What the engine said, without the words that dockerode puts around it. */
export function engineMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : `${error}`;
  return text.replace(/^\(HTTP code \d+\) [\w ]+ - /, '').trim();
}

/** Reads the engine's account of a pull, a build or an import to its end; an error told in it is thrown. */
export async function followProgress(
  stream: NodeJS.ReadableStream,
  onLine: (line: string) => void = () => {},
): Promise<void> {
  for await (const text of createInterface({ input: stream })) {
    if (text.trim() === '') continue;
    const { error, status, stream: output } = JSON.parse(text);
    if (error !== undefined) throw new Error(`${error}`.trim());
    onLine(`${output ?? status ?? ''}`.trimEnd());
  }
}
