-- Finds the live record and begins work on it, with its execution where it is one; or makes a record in
-- `preparing`: of the oldest warm container, bound in the same step, or of a reserved place. A preparation that
-- lapsed is replaced: its container keeps a place, due at once, until it is released.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 new container  6 manager  7 owner  8 lease ms
--   9 max containers  10 tenant limit, or ''  11… the work to begin: see work_asked_for
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
local work = work_asked_for(11)

local refused = work.execution and known_or_too_many(tenant, conversation, work.execution)
if refused then
  return refused
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
  return begin_on(found, work)
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

local member, info = pop_member()
if member then
  bind_member(record, member, info)
else
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
enter(record, work.key_ttl_ms)
redis.call('INCR', DEMAND)
if member then
  look_at(member, record.prepare_until)
  return { 'claimed', as_fields(record) }
end
redis.call('ZADD', RESERVED, record.prepare_until, container)
return { 'reserved', as_fields(record) }
