-- No new work begins: -> `draining`. Draining already, the lease is prolonged and a user's word outweighs the
-- reason there. A look comes once the lease and those of work in flight have lapsed.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 '1' = only if no work is in flight, else '0'
--   7 reason  8 lease ms  9 record key TTL ms  10 last activity that the caller saw, or ''
-- Returns 'done', or 'stale', 'busy' (nothing changed). A preparation is always 'busy'.

local tenant, conversation, container, only_idle, reason = unpack(ARGV, 3, 7)
local lease_ms, key_ttl_ms = tonumber(ARGV[8]), tonumber(ARGV[9])

local WEIGHT = { purged = 2, deleted = 1 }

local record = find_bound(tenant .. ':' .. conversation, container)
if not record then
  return 'stale'
end
if record.status == 'preparing' or (only_idle == '1' and record.status == 'running') then
  return 'busy'
end
local seen = tonumber(ARGV[10])
if seen and record.last_active_at > seen then
  return 'busy'
end

local look = math.max(NOW + lease_ms, last_lease_end(container))
if record.status == 'draining' then
  look = math.max(look, tonumber(redis.call('ZSCORE', EXPIRY, container) or 0))
end
move(record, 'draining')
if not record.drain_reason or (WEIGHT[reason] or 0) > (WEIGHT[record.drain_reason] or 0) then
  record.drain_reason = reason
end
save(record, key_ttl_ms)
look_at(container, look)
return 'done'
