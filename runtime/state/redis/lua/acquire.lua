-- Finds the live record and begins work on it, or reserves a place and makes a record in `preparing`.
-- A preparation that lapsed is replaced: its container keeps a place, due at once, until it is released.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 new container  6 manager  7 owner  8 lease ms
--   9 max containers  10 tenant limit, or ''
--   11 work  12 its lease ms  13 idle ms  14 max lifetime ms  15 record key TTL ms
-- Returns one of
--   {'live', record fields}                      the work has begun
--   {'reserved', record fields}
--   {'preparing' | 'draining', record fields}    nothing changed
--   {'no-room' | 'over-quota', limit, used}      nothing changed
--   {'container-taken'}                          nothing changed: the new id has a place already

local tenant, conversation, container, manager, owner = unpack(ARGV, 3, 7)
local lease_ms, max_containers, tenant_limit = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local work, work_lease_ms, idle_ms = ARGV[11], tonumber(ARGV[12]), tonumber(ARGV[13])
local max_lifetime_ms, key_ttl_ms = tonumber(ARGV[14]), tonumber(ARGV[15])
local name = tenant .. ':' .. conversation

local found = find(name)
if found and found.status == 'preparing' then
  local lapsed = found.prepare_until <= NOW
  if found.container_id == container then
    local ours = found.prepare_owner == owner and not lapsed
    return { ours and 'reserved' or 'preparing', as_fields(found) }
  end
  if not lapsed then
    return { 'preparing', as_fields(found) }
  end
elseif found then
  local begun = found.status ~= 'draining'
    and begin_work(found, work, work_lease_ms, idle_ms, max_lifetime_ms, key_ttl_ms) == 'done'
  return { begun and 'live' or 'draining', as_fields(found) }
end

if not found and tenant_limit then
  local conversations = redis.call('ZCARD', TENANT .. tenant)
  if conversations >= tenant_limit then
    return { 'over-quota', tenant_limit, conversations }
  end
end
if redis.call('ZSCORE', RESERVED, container) or redis.call('ZSCORE', EXPIRY, container) then
  return { 'container-taken' }
end
local used = redis.call('ZCARD', RESERVED) + redis.call('ZCARD', EXPIRY) + redis.call('LLEN', WARM_POOL)
if used >= max_containers then
  return { 'no-room', max_containers, used }
end

if found then
  forget(found, NOW)
end
local record = {
  container_id = container,
  conversation_id = conversation,
  tenant_id = tenant,
  manager_type = manager,
  status = 'preparing',
  created_at = NOW,
  claimed_at = NOW,
  last_active_at = NOW,
  prepare_owner = owner,
  prepare_until = NOW + lease_ms,
}
save(record, key_ttl_ms)
redis.call('SET', REVERSE .. container, name)
redis.call('ZADD', TENANT .. tenant, 0, conversation)
redis.call('ZADD', RESERVED, record.prepare_until, container)
return { 'reserved', as_fields(record) }
