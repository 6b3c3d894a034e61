-- Keys: those of prelude.lua.
-- Returns {list of members' fields, the oldest first, places that start, {min size, max size} as an operator set
-- them or nothing, demand, places used, now}.

local members = {}
for _, container in ipairs(redis.call('LRANGE', WARM_POOL, 0, -1)) do
  local info, flat = read_hash(POOL_INFO .. container)
  if info then
    members[#members + 1] = flat
  end
end
local min, max = unpack(redis.call('HMGET', POOL_CONFIG, 'min_size', 'max_size'))
local sizes = (min or max) and { min or '', max or '' } or {}
local demand = tonumber(redis.call('GET', DEMAND) or 0)
return { members, redis.call('ZCOUNT', STARTING, AFTER_NOW, '+inf'), sizes, demand, places_used(), NOW }
