-- Prolongs the lease of a place in which a member is created.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 container  4 owner  5 lease ms
-- Returns 'done', or 'stale' (nothing changed).

local container, owner, lease_ms = ARGV[3], ARGV[4], tonumber(ARGV[5])

local starts_until = tonumber(redis.call('ZSCORE', STARTING, container) or 0)
if starts_until <= NOW or redis.call('HGET', STARTERS, container) ~= owner then
  return 'stale'
end
local deadline = math.max(starts_until, NOW + lease_ms)
redis.call('ZADD', RESERVED, deadline, container)
redis.call('ZADD', STARTING, deadline, container)
return 'done'
