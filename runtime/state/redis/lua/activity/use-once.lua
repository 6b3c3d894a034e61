-- Keys: those of prelude.lua.
-- Arguments: 3 name  4 ms
-- Returns 1 for the first call with this name in so long; else 0 (nothing changed).

local key, used_ms = ONCE .. ARGV[3], tonumber(ARGV[4])

if tonumber(redis.call('GET', key) or 0) > NOW then
  return 0
end
redis.call('SET', key, string.format('%.0f', NOW + used_ms), 'PX', math.max(1, used_ms))
return 1
