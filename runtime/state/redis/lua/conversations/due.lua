-- What needs a look, oldest first. A live place whose record is gone by its key's TTL becomes a reserved
-- one that is due, so that its container is ended too; not while adoption may bring it back.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 most of each
-- Returns {reserved containers past their deadline, list of record fields}.

local limit = ARGV[3]

local live = {}
for _, container in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', NOW, 'LIMIT', 0, limit)) do
  local record = find_by_container(container)
  if record then
    live[#live + 1] = as_fields(record)
  elseif adopted() then
    forget_remains(container)
    redis.call('ZREM', EXPIRY, container)
    redis.call('ZADD', RESERVED, NOW, container)
  end
end
return { redis.call('ZRANGEBYSCORE', RESERVED, '-inf', NOW, 'LIMIT', 0, limit), live }
