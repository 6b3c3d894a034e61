#!/bin/sh
# As the official one: root gives the data to redis, and goes on as redis.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown -R redis:redis /data
  exec setpriv --reuid redis --regid redis --clear-groups "$@"
fi
exec "$@"
