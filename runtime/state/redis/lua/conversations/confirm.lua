-- Preparation is over: `preparing` -> `ready`.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 owner  7 idle ms  8 max lifetime ms
--   9 record key TTL ms
-- Returns 'done', or 'stale' (nothing changed).

local tenant, conversation, container, owner = unpack(ARGV, 3, 6)
local idle_ms, max_lifetime_ms, key_ttl_ms = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

local name = tenant .. ':' .. conversation
local record = find_preparation(name, container, owner)
if not record then
  local found = find_bound(name, container)
  local confirmed = found and found.prepare_owner == owner
    and found.status ~= 'preparing' and found.status ~= 'draining'
  return confirmed and 'done' or 'stale'
end

end_preparation(record)
save(record, key_ttl_ms)
look_at(container, when_to_look(record, idle_ms, max_lifetime_ms))
return 'done'
