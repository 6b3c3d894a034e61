-- Takes a member out of the pool. Its place stays reserved until `release`: the container may still run.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 container  4 stop ms
-- Returns 'done', or 'stale' (nothing changed). A place that is reserved for nobody is one whose member was
-- removed already: 'done'.

local container = ARGV[3]

if redis.call('EXISTS', POOL_INFO .. container) == 0 then
  local stopping = redis.call('ZSCORE', RESERVED, container) and not redis.call('ZSCORE', STARTING, container)
    and not find_by_container(container)
  return stopping and 'done' or 'stale'
end
leave_pool(container)
redis.call('ZADD', RESERVED, NOW + tonumber(ARGV[4]), container)
return 'done'
