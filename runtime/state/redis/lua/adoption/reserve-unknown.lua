-- A reserved place, due now, for each container that has no place.
--
-- Keys: those of prelude.lua.
-- Arguments: 3.. containers
-- Returns 'done'.

local warm = {}
for _, member in ipairs(redis.call('LRANGE', WARM_POOL, 0, -1)) do
  warm[member] = true
end
for i = 3, #ARGV do
  if not warm[ARGV[i]] and not redis.call('ZSCORE', EXPIRY, ARGV[i]) then
    redis.call('ZADD', RESERVED, 'NX', NOW, ARGV[i])
  end
end
return 'done'
