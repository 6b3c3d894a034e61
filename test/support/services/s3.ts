import { type S3Settings, s3Answers, startPrivateS3 } from './private-s3.ts';
import { nothingToStop, type Service } from './service.ts';

export const s3: Service = {
  name: 's3',
  neededBy: "the S3 object store's tests",
  remedy:
    'name an S3 in TEST_S3_ENDPOINT, with TEST_S3_BUCKET, TEST_S3_ACCESS_KEY_ID and TEST_S3_SECRET_ACCESS_KEY, or see moto',
  async start({ env, folder }) {
    const given = env.TEST_S3_ENDPOINT;
    if (given) {
      if (!(await s3Answers(given))) return { missing: 'nothing answers at TEST_S3_ENDPOINT' };
      if (env.TEST_S3_BUCKET && env.TEST_S3_ACCESS_KEY_ID && env.TEST_S3_SECRET_ACCESS_KEY) {
        const settings = variablesOf({
          endpoint: given,
          bucket: env.TEST_S3_BUCKET,
          region: env.TEST_S3_REGION || 'us-east-1',
          accessKeyId: env.TEST_S3_ACCESS_KEY_ID,
          secretAccessKey: env.TEST_S3_SECRET_ACCESS_KEY,
        });
        return { env: settings, stop: nothingToStop };
      }
      return { missing: 'TEST_S3_ENDPOINT is set without a bucket or credentials' };
    }
    if (env.TEST_MOTO_PYTHON === undefined) return { missing: 'there is no moto' };
    const server = await startPrivateS3(env.TEST_MOTO_PYTHON, folder);
    return { env: variablesOf(server), stop: server.stop };
  },
};

function variablesOf(settings: S3Settings): Record<string, string> {
  return {
    TEST_S3_ENDPOINT: settings.endpoint,
    TEST_S3_BUCKET: settings.bucket,
    TEST_S3_REGION: settings.region,
    TEST_S3_ACCESS_KEY_ID: settings.accessKeyId,
    TEST_S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
  };
}
