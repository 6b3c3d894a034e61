/**
 * How a script for `/bin/sh` begins that clears a platform away: from here on `docker` is the engine that `$engine`
 * names, or the one that it finds by itself.
 */
export const WITH_DOCKER = `
command -v docker >/dev/null || {
  echo 'There is no docker command on the path, which clears the platform away. Install it and run pulumi destroy again.' >&2
  exit 127
}
docker() { command docker \${engine:+--host "$engine"} "$@"; }`;
