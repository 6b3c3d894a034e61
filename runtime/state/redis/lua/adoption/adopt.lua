-- A record for a container that carries a valid ticket, with what its agent says runs there.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 manager  7 created at  8 claimed at  9 saved version, or ''
--   10 ms that each execution has at most  11 lease ms of its work  12 idle ms  13 max lifetime ms
--   14 record key TTL ms  15.. execution, its work of each
-- Returns 'done'; or 'stale': another container of this conversation was claimed later, and the place of this one is
-- reserved and due; or it is being stopped, or bound to another conversation (nothing changed).

local tenant, conversation, container, manager = unpack(ARGV, 3, 6)
local created_at, claimed_at = tonumber(ARGV[7]), tonumber(ARGV[8])
local saved_version = ARGV[9] ~= '' and ARGV[9] or nil
local execution_ms, work_lease_ms, idle_ms = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local max_lifetime_ms, key_ttl_ms = tonumber(ARGV[13]), tonumber(ARGV[14])

-- What runs there: begun with nobody's relay if it is not known, and its work held where that is missing. Whether
-- anything was.
local function take_over_executions()
  local any = false
  for i = 15, #ARGV, 2 do
    local id, work = ARGV[i], ARGV[i + 1]
    local known = find_execution(execution_name(tenant, conversation, id))
    local lease_ms = work_lease_ms
    if known then
      local ours = known.status == 'running' and known.container_id == container
        and lease_end(container, work) == 0
      lease_ms = ours and from_iso(known.deadline) + work_lease_ms - execution_ms - NOW or 0
    else
      begin_execution(tenant, conversation, id, {
        container_id = container,
        body_hash = '',
        deadline = NOW + execution_ms,
        on_disconnect = 'continue',
        relay = '',
        relay_until = NOW,
      })
    end
    if lease_ms > 0 then
      any = true
      hold_work(container, work, lease_ms)
    end
  end
  return any
end

local bound_to = find_by_container(container)
local record = find(tenant .. ':' .. conversation)
if bound_to and (not record or record.container_id ~= container) then
  return 'stale'
end
if not bound_to and redis.call('ZSCORE', RESERVED, container) and not redis.call('ZSCORE', STARTING, container) then
  return 'stale'
end

if not bound_to then
  leave_pool(container)
  forget_remains(container)
  redis.call('ZREM', RESERVED, container)
  if record and record.claimed_at >= claimed_at then
    redis.call('ZREM', EXPIRY, container)
    redis.call('ZADD', RESERVED, NOW, container)
    return 'stale'
  end
  if record then
    forget(record, NOW)
  end
  record = {
    container_id = container,
    conversation_id = conversation,
    tenant_id = tenant,
    manager_type = manager,
    status = 'idle',
    created_at = created_at,
    claimed_at = claimed_at,
    last_active_at = NOW,
    prepare_owner = '',
    saved_version = saved_version,
  }
  enter(record, key_ttl_ms)
end

local prepared = record.status == 'preparing'
if prepared then
  end_preparation(record)
  record.last_active_at = NOW
  record.saved_version = record.saved_version or saved_version
end
local begun = take_over_executions()
if begun and record.status ~= 'draining' then
  move(record, 'running')
end
if begun or prepared or not bound_to then
  save(record, key_ttl_ms)
  local look = when_to_look(record, idle_ms, max_lifetime_ms)
  if record.status == 'draining' then
    look = math.max(last_lease_end(container), tonumber(redis.call('ZSCORE', EXPIRY, container) or 0))
  end
  look_at(container, look)
end
return 'done'
