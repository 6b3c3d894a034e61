import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcess, startDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { recordEnding } from './run-folder.ts';

const program = fileURLToPath(new URL('strict-s3.py', import.meta.url));

/** What a client needs to know of an S3 and of the bucket that tests may use in it. */
export interface S3Settings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface PrivateS3 extends S3Settings {
  stop(): Promise<void>;
}

/** An S3 that belongs to its caller and keeps everything in memory. */
export async function startPrivateS3(
  python: string,
  parent: string,
  options: { switchSeconds?: number } = {},
): Promise<PrivateS3> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const recordFile = join(parent, `s3-${port}${recordEnding}`);
  const { switchSeconds } = options;
  const record = await startDaemon({
    command: [python, program, `${port}`, ...(switchSeconds === undefined ? [] : [`${switchSeconds}`])],
    logFile: join(parent, `s3-${port}.log`),
    recordFile,
    ready: () => s3Answers(endpoint),
    readyWithinMs: 60_000,
  });
  const bucket = 'berth-test';
  const made = await fetch(`${endpoint}/${bucket}`, { method: 'PUT' });
  if (!made.ok) throw new Error(`The bucket could not be made: ${await made.text()}`);
  const who = { region: 'us-east-1', accessKeyId: 'tests', secretAccessKey: 'not-checked' };
  const stop = async (): Promise<void> => {
    await endProcess(record, 1_000);
    rmSync(recordFile, { force: true });
  };
  return { endpoint, bucket, ...who, stop };
}

/** Whether anything speaks HTTP there, even to say that it does not know us. */
export async function s3Answers(endpoint: string, withinMs = 2_000): Promise<boolean> {
  try {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(withinMs) });
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
