-- Keys: those of prelude.lua.
-- Arguments: 3.. containers
-- Returns 'live', 'reserved', 'warm' or '' for each.

local warm = {}
for _, member in ipairs(redis.call('LRANGE', WARM_POOL, 0, -1)) do
  warm[member] = true
end

local places = {}
for i = 3, #ARGV do
  places[#places + 1] = redis.call('ZSCORE', EXPIRY, ARGV[i]) and 'live'
    or redis.call('ZSCORE', RESERVED, ARGV[i]) and 'reserved'
    or warm[ARGV[i]] and 'warm'
    or ''
end
return places
