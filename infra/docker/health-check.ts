/** Of the runtime and the proxy, by their images' own program. More often than there, so that nobody waits for the first. */
export const HEALTH_CHECK = {
  tests: ['CMD', 'node', '/opt/berth/health-check.mjs'],
  interval: '5s',
  timeout: '5s',
  retries: 6,
};
