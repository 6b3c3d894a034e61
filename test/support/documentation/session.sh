# The shell that the commands of a page are typed into. $SESSION is a folder of the session's own.

set -o pipefail -o errtrace
exec 3>&1
SERVICES=()

# Runs a block in this very shell, so that the next one finds what it left; tells every command that failed.
run_block() {
  : > "$SESSION/failed"
  trap 'printf "exit code %s: %s\n" "$?" "$BASH_COMMAND" >> "$SESSION/failed"' ERR
  source "$SESSION/$1.sh" > "$SESSION/$1.out" 2> "$SESSION/$1.err" < /dev/null
  trap - ERR
  echo "over: $1" >&3
}

# An answer that tells of a failure is one: the documentation shows none, but where it says so with -f.
curl() {
  case " $* " in
    *' -f '* | *' -sf '* | *' -sfo '*) command curl "$@" ;;
    *) command curl --fail-with-body "$@" ;;
  esac
}

# The service is started in a terminal of its own, and the reader goes on in another with what it printed. One that is
# started again in the same place takes the place of the first, as after a Ctrl-C.
npm() {
  if [ "$1" != start ]; then
    command npm "$@"
    return
  fi
  local place log pid key
  place=$(realpath -m "${BERTH_DATA_DIR:-.berth}")
  stop_service "$place"
  log="$SESSION/service-${#SERVICES[@]}.log"
  command npm "$@" > "$log" 2>&1 &
  pid=$!
  SERVICES+=("$pid $place")
  until grep -q '"msg":"Berth is running"' "$log"; do
    if ! kill -0 "$pid" 2> /dev/null; then
      cat "$log" >&2
      return 1
    fi
    sleep 0.1
  done
  BERTH_URL=$(grep -m 1 '"msg":"Berth is running"' "$log" | grep -o 'http://[^"]*' | head -1)
  key=$(grep -o 'berth_[A-Za-z0-9_-]*' "$log" | head -1 || true)
  [ -z "$key" ] || BERTH_API_KEY=$key
  BERTH_KEY=$BERTH_API_KEY
  export BERTH_URL BERTH_API_KEY BERTH_KEY
  until command curl -sf -o /dev/null "$BERTH_URL/ready"; do sleep 0.1; done
  # Pages show what a service does that has run for a while: its warm pool is full.
  until pool_is_full; do sleep 0.1; done
}

pool_is_full() {
  local pool
  pool=$(command curl -s -H "Authorization: Bearer $BERTH_API_KEY" "$BERTH_URL/v1/warm-pool")
  case $pool in
    *'"size":0,"target":0'* | *'"size":'[1-9]*) return 0 ;;
    *) return 1 ;;
  esac
}

# Who is told to stop the instances first does so, each in its terminal.
npx() {
  local service
  if [ "$1 $2" = 'berth destroy-all' ]; then
    for service in "${SERVICES[@]}"; do stop_service "${service#* }"; done
  fi
  command npx "$@"
}

stop_service() {
  local service
  for service in "${SERVICES[@]}"; do
    if [ "${service#* }" = "$1" ] && kill "${service%% *}" 2> /dev/null; then wait "${service%% *}" || true; fi
  done
}

end_jobs() {
  local job
  for job in $(jobs -p); do kill "$job" 2> /dev/null; done
}

# Should the test be gone, and this shell read the end of its commands.
trap end_jobs EXIT

# Whatever the page started and left.
end_session() {
  local service
  # The services first: they may need the rest to stop as they should.
  for service in "${SERVICES[@]}"; do kill "${service%% *}" 2> /dev/null; done
  for service in "${SERVICES[@]}"; do wait "${service%% *}"; done
  end_jobs
  wait
  echo 'over: session' >&3
}
