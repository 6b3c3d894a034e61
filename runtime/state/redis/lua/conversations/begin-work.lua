-- Enters work in flight under a lease: `ready` or `idle` -> `running`. Past its maximum lifetime a
-- container takes no new work, as if it were draining.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 work  7 lease ms  8 idle ms  9 max lifetime ms
--   10 record key TTL ms
-- Returns 'done', or 'stale', 'preparing', 'draining' (nothing changed).

local tenant, conversation, container, work = unpack(ARGV, 3, 6)
local lease_ms, idle_ms = tonumber(ARGV[7]), tonumber(ARGV[8])
local max_lifetime_ms, key_ttl_ms = tonumber(ARGV[9]), tonumber(ARGV[10])

local record = find_bound(tenant .. ':' .. conversation, container)
if not record then
  return 'stale'
end
if record.status == 'preparing' or record.status == 'draining' then
  return record.status
end
return begin_work(record, work, lease_ms, idle_ms, max_lifetime_ms, key_ttl_ms)
