/** What every row of a run has to work with. */
export interface BenchSetting {
  dockerHost: string;
  image: string;
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
