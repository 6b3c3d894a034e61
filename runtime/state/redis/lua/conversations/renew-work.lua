-- Prolongs the lease of work. Work that lapsed is taken up again unless the container drains, so that an
-- outage of the store does not end it.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 work  7 lease ms  8 idle ms  9 max lifetime ms
--   10 record key TTL ms
-- Returns 'done', or 'stale' (nothing changed).

local tenant, conversation, container, work = unpack(ARGV, 3, 6)
local lease_ms, idle_ms = tonumber(ARGV[7]), tonumber(ARGV[8])
local max_lifetime_ms, key_ttl_ms = tonumber(ARGV[9]), tonumber(ARGV[10])

local record = find_bound(tenant .. ':' .. conversation, container)
local held_until = record and lease_end(container, work) or 0
if held_until == 0 or (record.status == 'draining' and held_until <= NOW) then
  return 'stale'
end

hold_work(container, work, lease_ms)
if record.status == 'draining' then
  save(record, key_ttl_ms)
  redis.call('ZADD', EXPIRY, 'GT', last_lease_end(container), container)
  return 'done'
end
move(record, 'running')
save(record, key_ttl_ms)
look_at(container, when_to_look(record, idle_ms, max_lifetime_ms))
return 'done'
