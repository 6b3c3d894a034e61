-- Ends work; with the last one `running` -> `idle`. Work that is not there has ended already.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 work  7 idle ms  8 max lifetime ms
--   9 record key TTL ms  10 '1' = it does not count as activity, else '0'
-- Returns 'done', or 'stale' (nothing changed).

local tenant, conversation, container, work = unpack(ARGV, 3, 6)
local idle_ms, max_lifetime_ms, key_ttl_ms = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

local record = find_bound(tenant .. ':' .. conversation, container)
if not record or record.status == 'preparing' then
  return 'stale'
end
end_work(record, work, ARGV[10] == '1', idle_ms, max_lifetime_ms, key_ttl_ms)
return 'done'
