-- A member is there and well: from its reserved place to the end of the pool.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 container  4 owner  5 image  6 manager
-- Returns 'done', also when repeated and claimed since; or 'stale' (nothing changed).

local container, owner, image, manager = unpack(ARGV, 3, 6)

local starts_until = tonumber(redis.call('ZSCORE', STARTING, container) or 0)
if starts_until <= NOW or redis.call('HGET', STARTERS, container) ~= owner then
  local claimed_by = find_by_container(container)
  local added = redis.call('HGET', POOL_INFO .. container, 'added_by') == owner
    or (claimed_by and claimed_by.claimed_for)
  return added and 'done' or 'stale'
end

leave_pool(container)
redis.call('ZREM', RESERVED, container)
redis.call('RPUSH', WARM_POOL, container)
redis.call('HSET', POOL_INFO .. container, 'container_id', container, 'image', image,
  'manager_type', manager, 'created_at', iso(NOW), 'added_by', owner)
return 'done'
