import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

/** Puts, gets and the rest of a busy instance; further ones wait for a connection. */
const MOST_CONNECTIONS = 128;

/** The SDK's own words would go to the console, between the lines of the log. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

type Environment = Readonly<Record<string, string | undefined>>;

/** Where S3 is and who we are there, from the standard variables; what they don't say, the SDK looks for itself. */
export function connectS3(env: Environment): S3Client {
  const endpoint = endpointOf(env);
  const agent = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
  return new S3Client({
    ...credentialsOf(env),
    ...regionOf(env),
    // Any other store than Amazon's rarely has a host name a bucket.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Attempts are counted and timed by us.
    maxAttempts: 1,
    // Checksums in trailers are Amazon's alone. Small bodies are signed, and large ones go over TLS.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would take a connection of its own for each put.
    expectContinueHeader: false,
    requestHandler: { httpAgent: agent, httpsAgent: agent, logger: silent },
    logger: silent,
  });
}

/** The address that the variables give; none for Amazon's. */
export function endpointOf(env: Environment): string | undefined {
  return env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined;
}

function regionOf(env: Environment): Pick<S3ClientConfig, 'region'> {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (region) return { region };
  return endpointOf(env) === undefined ? {} : { region: 'us-east-1' };
}

function credentialsOf(env: Environment): Pick<S3ClientConfig, 'credentials'> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) return {};
  const sessionToken = env.AWS_SESSION_TOKEN;
  return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } };
}
