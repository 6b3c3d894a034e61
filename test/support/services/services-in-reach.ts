import { engineAnswers } from '../../../images/builder/engine.ts';
import {
  editorImage,
  functionNodeImage,
  functionPythonImage,
  proxyImage,
  workspaceImage,
} from './image-service.ts';
import { redisAnswers } from './private-redis.ts';
import { s3Answers } from './private-s3.ts';
import { readServicesEnv } from './services-env.ts';

const OF_CONTAINERS = [workspaceImage, proxyImage, editorImage, functionNodeImage, functionPythonImage];

/**
 * The variables for a vitest that `npm test` did not start: what is set already, and what `npm run services` keeps
 * up. The images of containers are brought up to date; the runtime's is left to `npm test`.
 */
export async function servicesInReach(): Promise<Record<string, string>> {
  if (process.env.TEST_RESULTS_FILE !== undefined) return {};
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...readServicesEnv(), ...process.env })) {
    if (name.startsWith('TEST_') && !name.endsWith('_IMAGE') && value) env[name] = value;
  }
  const without = (name: string, reason: string): void => console.error(`without ${name}: ${reason}`);
  const otherwise = 'start `npm run services`, or take `npm test`';
  if (env.TEST_DOCKER_HOST === undefined || !(await engineAnswers(env.TEST_DOCKER_HOST))) {
    without('docker', otherwise);
    env.TEST_DOCKER_HOST = ''; // a worker would have the one of this process
  } else {
    for (const service of OF_CONTAINERS) {
      const image = await service.start({ folder: '', env, say: (line) => console.error(line) });
      if ('missing' in image) without(service.name, image.missing);
      else Object.assign(env, image.env);
    }
  }
  if (env.TEST_REDIS_URL === undefined || !(await redisAnswers(env.TEST_REDIS_URL))) {
    without('redis', otherwise);
    env.TEST_REDIS_URL = '';
  }
  if (!env.TEST_S3_ENDPOINT || !(await s3Answers(env.TEST_S3_ENDPOINT))) {
    without('s3', otherwise);
    env.TEST_S3_ENDPOINT = '';
  }
  return env;
}
