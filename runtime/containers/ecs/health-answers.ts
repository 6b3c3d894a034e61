import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const BETWEEN_LOOKS_MS = 500;
const ANSWER_MS = 1000;

/** Resolves once something answers health checks there; whether it is ours, its proof tells. */
export async function healthAnswers(host: string, port: number, signal: AbortSignal): Promise<void> {
  while (!(await answers(host, port))) await sleep(BETWEEN_LOOKS_MS, undefined, { signal });
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({
      host,
      port,
      path: '/health',
      agent: false,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    request.on('response', (answer) => {
      answer.destroy();
      resolve(answer.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
