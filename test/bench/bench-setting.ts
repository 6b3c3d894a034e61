import { randomBytes } from 'node:crypto';

/** What every row of a run has to work with. */
export interface BenchSetting {
  dockerHost: string;
  image: string;
  /** `workspace-editor`, for workspaces. */
  editorImage: string;
  /** The browser's program. */
  chromium: string;
  /** The run's Postgres, which others may use at the same time. */
  postgresUrl: string;
  /** Makes a runtime keep its objects in the run's S3, below a prefix of the run's own. */
  s3: Readonly<Record<string, string>>;
  /** The run's Redis, which others may use at the same time. */
  redisUrl: string;
  /** The program, for a Redis of a row's own. */
  redisServer: string;
  /** Labels every container of the run, and begins its keys in Redis: by it all is removed at the end. */
  installation: string;
  /** For what goes at the end of the run. */
  folder: string;
  say(line: string): void;
}

/** The runtime on Docker, with its state in memory. */
export function onDocker({ dockerHost, image }: BenchSetting): Record<string, string> {
  return { CONTAINER_MANAGER_TYPE: 'docker', DOCKER_HOST: dockerHost, WORKSPACE_IMAGE: image };
}

/** The same with workspaces of the editor, in containers and volumes that are known as the run's. */
export function withWorkspaces(setting: BenchSetting): Record<string, string> {
  return {
    ...onDocker(setting),
    DEFAULT_WORKSPACE_IMAGE_REF: setting.editorImage,
    BERTH_INSTALLATION: setting.installation,
    BERTH_SECRET: randomBytes(32).toString('hex'),
  };
}

/** The state in Redis, under keys of the row's own. */
export function onRedis(
  { installation }: BenchSetting,
  redisUrl: string,
  secret: string,
): Record<string, string> {
  return {
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: `${installation}:${secret.slice(0, 8)}:`,
    BERTH_SINGLE_INSTANCE: '1', // its other stores are local
    BERTH_INSTALLATION: installation,
    BERTH_SECRET: secret,
  };
}
