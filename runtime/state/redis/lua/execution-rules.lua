-- Stands behind the prelude of every script that knows executions. An execution's name is
-- `tenant:conversation:execution`; its hash has everything but the end of its relay's lease, which is in RELAYS
-- as long as it runs. store-limits.ts has these times, too.

-- How long after its end an execution and its log are known. Keys outlive that by no more than their backstop.
local EXECUTION_KEPT, LOG_KEPT = DAY, 3600000

local function execution_name(tenant, conversation, id)
  return tenant .. ':' .. conversation .. ':' .. id
end

-- The execution as a table of texts and as Redis gives it, or nil.
local function find_execution(name)
  local execution, flat = read_hash(EXECUTION .. name)
  if execution and execution.ended_at and from_iso(execution.ended_at) + EXECUTION_KEPT <= NOW then
    return nil
  end
  return execution, flat
end

-- The execution if it runs and this relay holds its lease, or nil.
local function find_relayed(name, relay)
  local execution = find_execution(name)
  local held = execution and execution.status == 'running' and execution.relay == relay
    and tonumber(redis.call('ZSCORE', RELAYS, name) or 0) > NOW
  return held and execution or nil
end

-- The id of an execution whose work on this container has not lapsed, or nil.
local function execution_in_flight(container)
  for _, work in ipairs(redis.call('ZRANGEBYSCORE', WORK .. container, AFTER_NOW, '+inf')) do
    local id = string.match(work, '^execute%-(ex%-%x+)$')
    if id then
      return id
    end
  end
  return nil
end

-- Enters a new execution. `begun` has: container_id, body_hash, on_disconnect, relay, relay_until, deadline.
local function begin_execution(tenant, conversation, id, begun)
  local name = execution_name(tenant, conversation, id)
  local key, index = EXECUTION .. name, EXECUTIONS .. tenant .. ':' .. conversation
  local key_ttl_ms = begun.deadline - NOW + DAY

  redis.call('DEL', key, EVENTS .. name)
  redis.call('HSET', key, 'status', 'running', 'container_id', begun.container_id,
    'body_hash', begun.body_hash, 'started_at', iso(NOW), 'deadline', iso(begun.deadline),
    'on_disconnect', begun.on_disconnect, 'relay', begun.relay, 'agent_seq', 0, 'offset', 0,
    'log_bytes', 0)
  redis.call('PEXPIRE', key, key_ttl_ms)
  redis.call('ZADD', RELAYS, begun.relay_until, name)
  redis.call('ZADD', TENANT_EXECUTIONS .. tenant, begun.deadline, conversation .. ':' .. id)

  -- Each that comes takes up to two along whose hash is gone, so that the index does not grow.
  for _, oldest in ipairs(redis.call('ZRANGE', index, 0, 1)) do
    if redis.call('EXISTS', EXECUTION .. execution_name(tenant, conversation, oldest)) == 0 then
      redis.call('ZREM', index, oldest)
    end
  end
  redis.call('ZADD', index, NOW, id)
  redis.call('PEXPIRE', index, key_ttl_ms + DAY)
end

-- The work that the arguments from `first` on ask for, which are: work, its lease ms, idle ms, max lifetime ms,
-- record key TTL ms, execution or '' (and nothing more), body hash, its ms, on disconnect, relay, relay lease ms,
-- limit of the tenant's executions or ''.
local function work_asked_for(first)
  return {
    id = ARGV[first],
    lease_ms = tonumber(ARGV[first + 1]),
    idle_ms = tonumber(ARGV[first + 2]),
    max_lifetime_ms = tonumber(ARGV[first + 3]),
    key_ttl_ms = tonumber(ARGV[first + 4]),
    execution = ARGV[first + 5] ~= '' and {
      id = ARGV[first + 5],
      body_hash = ARGV[first + 6],
      ms = tonumber(ARGV[first + 7]),
      on_disconnect = ARGV[first + 8],
      relay = ARGV[first + 9],
      relay_ms = tonumber(ARGV[first + 10]),
      limit = tonumber(ARGV[first + 11]),
    } or nil,
  }
end

-- What is answered instead of beginning this execution, or nil.
local function known_or_too_many(tenant, conversation, execution)
  local known, flat = find_execution(execution_name(tenant, conversation, execution.id))
  if known then
    local same = known.body_hash == execution.body_hash or known.body_hash == ''
    return same and { 'known', flat } or { 'other-request' }
  end
  local running = execution.limit
    and redis.call('ZCOUNT', TENANT_EXECUTIONS .. tenant, AFTER_NOW, '+inf')
  if running and running >= execution.limit then
    return { 'over-executions', execution.limit, running }
  end
  return nil
end

-- Begins the work, and its execution, on a record that is prepared. Answers as acquire.lua does.
local function begin_on(record, work)
  local execution = work.execution
  if record.status == 'draining' then
    return { 'draining', as_fields(record) }
  end
  local locked_by = execution and execution_in_flight(record.container_id)
  if locked_by and locked_by ~= execution.id then
    return { 'locked', locked_by }
  end
  local begun = begin_work(record, work.id, work.lease_ms, work.idle_ms, work.max_lifetime_ms, work.key_ttl_ms)
  if begun == 'draining' then
    return { 'draining', as_fields(record) }
  end
  if execution then
    begin_execution(record.tenant_id, record.conversation_id, execution.id, {
      container_id = record.container_id,
      body_hash = execution.body_hash,
      deadline = NOW + execution.ms,
      on_disconnect = execution.on_disconnect,
      relay = execution.relay,
      relay_until = NOW + execution.relay_ms,
    })
  end
  return { 'live', as_fields(record) }
end

-- Whether this very work has begun there: the answer to the call that began it was lost.
local function has_begun(record, work)
  if lease_end(record.container_id, work.id) <= NOW then
    return false
  end
  local execution = work.execution
    and find_execution(execution_name(record.tenant_id, record.conversation_id, work.execution.id))
  return not work.execution or (execution ~= nil and execution.relay == work.execution.relay)
end

-- It runs no more, whatever became of it.
local function leave_running(tenant, conversation, id)
  redis.call('ZREM', RELAYS, execution_name(tenant, conversation, id))
  redis.call('ZREM', TENANT_EXECUTIONS .. tenant, conversation .. ':' .. id)
end

-- Ends its work, if the conversation still has the container that it ran in.
local function end_execution_work(tenant, conversation, container, work, idle_ms, max_lifetime_ms, key_ttl_ms)
  local record = find_bound(tenant .. ':' .. conversation, container)
  if record and record.status ~= 'preparing' then
    end_work(record, work, false, idle_ms, max_lifetime_ms, key_ttl_ms)
  end
end

-- The number of the last event in the log.
local function last_event(execution)
  return tonumber(execution.agent_seq) + tonumber(execution.offset)
end

-- Adds the entries (first, last, frames; as arguments from `from` on) that come after what is logged, and lets the
-- oldest go beyond `most` bytes. Returns the number of the last event.
local function log_entries(name, execution, from, most)
  local stream = EVENTS .. name
  local last, bytes = last_event(execution), tonumber(execution.log_bytes)
  for i = from, #ARGV, 3 do
    if tonumber(ARGV[i]) > last then
      redis.call('XADD', stream, ARGV[i + 1] .. '-0', 'first', ARGV[i], 'frames', ARGV[i + 2])
      last, bytes = tonumber(ARGV[i + 1]), bytes + #ARGV[i + 2]
    end
  end
  while bytes > most do
    local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
    -- A counter without entries to it: someone took the stream away.
    bytes = oldest and bytes - #oldest[2][4] or 0
    if oldest then
      redis.call('XDEL', stream, oldest[1])
    end
  end
  redis.call('HSET', EXECUTION .. name, 'log_bytes', bytes)
  return last
end

-- Behind the last event, so that whoever waits wakes; what is in the log goes after that time.
local function end_log(name, last, why, kept_ms)
  redis.call('XADD', EVENTS .. name, string.format('%.0f-1', last), 'end', why)
  redis.call('PEXPIRE', EVENTS .. name, kept_ms)
end
