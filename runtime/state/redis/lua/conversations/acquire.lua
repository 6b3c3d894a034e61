-- Finds the live record and begins work on it, with its execution where it is one; or makes a record in
-- `preparing`: of the oldest warm container, bound in the same step, or of a reserved place. A preparation that
-- lapsed is replaced: its container keeps a place, due at once, until it is released.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 new container  6 manager  7 owner  8 lease ms
--   9 max containers  10 tenant limit, or ''
--   11 work  12 its lease ms  13 idle ms  14 max lifetime ms  15 record key TTL ms
--   16 execution, or '' (and nothing more)  17 body hash  18 its ms  19 on disconnect  20 relay  21 relay lease ms
--   22 limit of the tenant's executions, or ''
-- Returns one of
--   {'live', record fields}                      the work has begun
--   {'reserved' | 'claimed', record fields}
--   {'preparing' | 'draining', record fields}    nothing changed
--   {'no-room' | 'over-quota' | 'over-executions', limit, used}      nothing changed
--   {'container-taken'}                          nothing changed: the new id has a place already
--   {'known', execution fields}                  nothing changed
--   {'other-request'}                            nothing changed: that execution has another body
--   {'locked', execution}                        nothing changed: this one runs

local tenant, conversation, container, manager, owner = unpack(ARGV, 3, 7)
local lease_ms, max_containers, tenant_limit = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local work, work_lease_ms, idle_ms = ARGV[11], tonumber(ARGV[12]), tonumber(ARGV[13])
local max_lifetime_ms, key_ttl_ms, execution_id = tonumber(ARGV[14]), tonumber(ARGV[15]), ARGV[16]

if execution_id ~= '' then
  local known, flat = find_execution(execution_name(tenant, conversation, execution_id))
  if known then
    local same = known.body_hash == ARGV[17] or known.body_hash == ''
    return same and { 'known', flat } or { 'other-request' }
  end
  local limit = tonumber(ARGV[22])
  local running = limit and redis.call('ZCOUNT', TENANT_EXECUTIONS .. tenant, AFTER_NOW, '+inf')
  if limit and running >= limit then
    return { 'over-executions', limit, running }
  end
end

local found = find(tenant .. ':' .. conversation)
if found and found.status == 'preparing' then
  local lapsed = found.prepare_until <= NOW
  if found.container_id == container or found.claimed_for == container then
    local ours = found.prepare_owner == owner and not lapsed
    local kind = found.claimed_for and 'claimed' or 'reserved'
    return { ours and kind or 'preparing', as_fields(found) }
  end
  if not lapsed then
    return { 'preparing', as_fields(found) }
  end
elseif found then
  if found.status == 'draining' then
    return { 'draining', as_fields(found) }
  end
  local locked_by = execution_id ~= '' and execution_in_flight(found.container_id)
  if locked_by and locked_by ~= execution_id then
    return { 'locked', locked_by }
  end
  if begin_work(found, work, work_lease_ms, idle_ms, max_lifetime_ms, key_ttl_ms) == 'draining' then
    return { 'draining', as_fields(found) }
  end
  if execution_id ~= '' then
    begin_execution(tenant, conversation, execution_id, {
      container_id = found.container_id,
      body_hash = ARGV[17],
      deadline = NOW + tonumber(ARGV[18]),
      on_disconnect = ARGV[19],
      relay = ARGV[20],
      relay_until = NOW + tonumber(ARGV[21]),
    })
  end
  return { 'live', as_fields(found) }
end

if not found and tenant_limit then
  local conversations = redis.call('ZCARD', TENANT .. tenant)
  if conversations >= tenant_limit then
    return { 'over-quota', tenant_limit, conversations }
  end
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

local member = redis.call('LPOP', WARM_POOL)
while member do
  local info = read_hash(POOL_INFO .. member)
  if info then
    record.container_id, record.claimed_for = member, container
    record.manager_type, record.created_at = info.manager_type, from_iso(info.created_at)
    break
  end
  redis.call('ZADD', RESERVED, NOW, member)
  member = redis.call('LPOP', WARM_POOL)
end

if not member then
  if redis.call('ZSCORE', RESERVED, container) or redis.call('ZSCORE', EXPIRY, container) then
    return { 'container-taken' }
  end
  local used = places_used()
  if used >= max_containers then
    return { 'no-room', max_containers, used }
  end
end

if found then
  forget(found, NOW)
end
enter(record, key_ttl_ms)
redis.call('INCR', DEMAND)
if member then
  redis.call('DEL', POOL_INFO .. member)
  look_at(member, record.prepare_until)
  return { 'claimed', as_fields(record) }
end
redis.call('ZADD', RESERVED, record.prepare_until, container)
return { 'reserved', as_fields(record) }
