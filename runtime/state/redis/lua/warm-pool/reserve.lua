-- A place for a member to come. Who reserved it is kept beside, to know a repeat by.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 container  4 owner  5 lease ms  6 most members, warm and starting  7 max containers
-- Returns 'reserved', also when repeated; or 'full', 'no-room' (nothing changed); or 'container-taken' (nothing
-- changed: the id has a place already).

local container, owner = ARGV[3], ARGV[4]
local deadline, most, max_containers = NOW + tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])

local starts_until = tonumber(redis.call('ZSCORE', STARTING, container) or 0)
if starts_until > NOW and redis.call('HGET', STARTERS, container) == owner then
  return 'reserved'
end
if redis.call('ZSCORE', RESERVED, container) or redis.call('ZSCORE', EXPIRY, container)
  or redis.call('EXISTS', POOL_INFO .. container) == 1 then
  return 'container-taken'
end
if redis.call('LLEN', WARM_POOL) + redis.call('ZCOUNT', STARTING, AFTER_NOW, '+inf') >= most then
  return 'full'
end
if places_used() >= max_containers then
  return 'no-room'
end

redis.call('ZADD', RESERVED, deadline, container)
redis.call('ZADD', STARTING, deadline, container)
redis.call('HSET', STARTERS, container, owner)
return 'reserved'
