-- The container exists: its place moves from the reserved to the live. Prolongs the preparation's lease.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 owner  7 lease ms  8 record key TTL ms
-- Returns 'done', or 'stale' (nothing changed).

local tenant, conversation, container, owner = unpack(ARGV, 3, 6)
local lease_ms, key_ttl_ms = tonumber(ARGV[7]), tonumber(ARGV[8])

local record = find_preparation(tenant .. ':' .. conversation, container, owner)
if not record then
  return 'stale'
end

record.prepare_until = math.max(record.prepare_until, NOW + lease_ms)
save(record, key_ttl_ms)
redis.call('ZREM', RESERVED, container)
look_at(container, record.prepare_until)
return 'done'
