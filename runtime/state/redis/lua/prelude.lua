-- Stands behind clock.lua before every script but those of workers/: their keys, and the record's rules.
--
-- Keys, the same for every script; redis-keys.ts spells them and says what they hold. Those from RECORD on are
-- stems: which record a container belongs to is known inside a script only, so those keys are made here,
-- stem .. name. On a cluster the prefix has a hash tag, which puts all of them in the slot of the stems.
--
-- A record's name is `tenant:conversation`. Times are milliseconds here, ISO 8601 in hashes.

local RESERVED, EXPIRY, WARM_POOL, STARTING, STARTERS, POOL_CONFIG, DEMAND, RELAYS, EPOCH = unpack(KEYS, 1, 9)
local RECORD, REVERSE, WORK, TENANT, POOL_INFO = unpack(KEYS, 10, 14)
local EXECUTION, EVENTS, EXECUTIONS, TENANT_EXECUTIONS, LEASE = unpack(KEYS, 15, 19)
local CONNECTIONS, IDLE_TIMER, ONCE, ACTIVITY_SINCE = unpack(KEYS, 20, 23)

-- As the lower bound of a range of scores: what has not lapsed.
local AFTER_NOW = '(' .. string.format('%.0f', NOW)
-- Lapsed work can be taken up again by who still does it, for this long; then it is forgotten.
local LAPSED_WORK_KEPT = 600000

-- Names the server's present life: another one after a restart or a fail-over.
local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
end

-- Whether what is here was adopted in this life: until then something may be missing that is only not back yet.
local function adopted()
  return redis.call('GET', EPOCH) == run_id()
end

-- Times that were read or written, by milliseconds: most are written back as they were read.
local ISO = {}

-- Days are counted in years that start in March, so that the leap day is the last of its year.
local function iso(ms)
  if ISO[ms] then
    return ISO[ms]
  end
  local days = math.floor(ms / DAY)
  local rest = ms - days * DAY
  local shifted = days + 719468
  local era = math.floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460)
    + math.floor(day_of_era / 36524) - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era
    - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local march_month = math.floor((5 * day_of_year + 2) / 153)
  local day = day_of_year - math.floor((153 * march_month + 2) / 5) + 1
  local month = march_month < 10 and march_month + 3 or march_month - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  ISO[ms] = string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year, month, day,
    math.floor(rest / 3600000), math.floor(rest / 60000) % 60, math.floor(rest / 1000) % 60, rest % 1000)
  return ISO[ms]
end

local function from_iso(text)
  local year, month, day, hour, minute, second, ms =
    string.match(text, '^(%d%d%d%d)-(%d%d)-(%d%d)T(%d%d):(%d%d):(%d%d)%.(%d%d%d)Z$')
  if not year then
    error('not a time: ' .. text)
  end
  local march_month = (tonumber(month) + 9) % 12
  local march_year = tonumber(year) - (tonumber(month) <= 2 and 1 or 0)
  local era = math.floor(march_year / 400)
  local year_of_era = march_year - era * 400
  local day_of_year = math.floor((153 * march_month + 2) / 5) + tonumber(day) - 1
  local day_of_era = year_of_era * 365 + math.floor(year_of_era / 4) - math.floor(year_of_era / 100)
    + day_of_year
  local days = era * 146097 + day_of_era - 719468
  local instant = days * DAY + tonumber(hour) * 3600000 + tonumber(minute) * 60000 + tonumber(second) * 1000
    + tonumber(ms)
  ISO[instant] = text
  return instant
end

-- contracts/conversation-record.ts has the same table; a test compares them.
local NEXT = {
  preparing = { ready = true, gone = true },
  ready = { running = true, draining = true, gone = true },
  running = { idle = true, draining = true, gone = true },
  idle = { running = true, draining = true, gone = true },
  draining = { gone = true },
}

local function may_follow(from, to)
  return NEXT[from] ~= nil and NEXT[from][to] == true
end

local function move(record, status)
  if record.status == status then
    return
  end
  if not may_follow(record.status, status) then
    error('a record that is ' .. record.status .. ' does not become ' .. status)
  end
  record.status = status
end

local TEXTS = {
  'container_id', 'conversation_id', 'tenant_id', 'manager_type', 'status', 'prepare_owner', 'drain_reason',
  'saved_version', 'claimed_for',
}
local TIMES = { 'created_at', 'claimed_at', 'last_active_at', 'prepare_until' }

local function name_of(record)
  return record.tenant_id .. ':' .. record.conversation_id
end

-- The end of the lease that lapses last, lapsed ones included; 0 without any.
local function last_lease_end(container)
  local last = redis.call('ZREVRANGE', WORK .. container, 0, 0, 'WITHSCORES')
  return tonumber(last[2] or 0)
end

local function works(container)
  return last_lease_end(container) > NOW
end

-- Work whose lease lapsed ended then: a record with no other is idle since.
local function settle(record)
  if record.status == 'running' and not works(record.container_id) then
    move(record, 'idle')
    record.last_active_at = math.max(record.last_active_at, last_lease_end(record.container_id))
  end
end

-- The hash as a table and as Redis gives it, or nil.
local function read_hash(key)
  local flat = redis.call('HGETALL', key)
  if #flat == 0 then
    return nil
  end
  local fields = {}
  for i = 1, #flat, 2 do
    fields[flat[i]] = flat[i + 1]
  end
  return fields, flat
end

-- The record as it is now, or nil.
local function find(name)
  local record = read_hash(RECORD .. name)
  if not record then
    return nil
  end
  for _, field in ipairs(TIMES) do
    record[field] = record[field] and from_iso(record[field])
  end
  settle(record)
  return record
end

-- The record if it is bound to this container, or nil.
local function find_bound(name, container)
  local record = find(name)
  return record and record.container_id == container and record or nil
end

local function find_by_container(container)
  local name = redis.call('GET', REVERSE .. container)
  return name and find_bound(name, container) or nil
end

-- The record if this owner still prepares this container, or nil. A lapsed lease is lost for good: whoever
-- saw it lapsed may end the container.
local function find_preparation(name, container, owner)
  local record = find_bound(name, container)
  local held = record and record.status == 'preparing' and record.prepare_owner == owner
    and record.prepare_until > NOW
  return held and record or nil
end

local function as_fields(record)
  local flat = {}
  for _, field in ipairs(TEXTS) do
    if record[field] then
      flat[#flat + 1] = field
      flat[#flat + 1] = record[field]
    end
  end
  for _, field in ipairs(TIMES) do
    if record[field] then
      flat[#flat + 1] = field
      flat[#flat + 1] = iso(record[field])
    end
  end
  return flat
end

local function save(record, key_ttl_ms)
  local key = RECORD .. name_of(record)
  redis.call('HSET', key, unpack(as_fields(record)))
  redis.call('PEXPIRE', key, key_ttl_ms)
end

-- `preparing` -> `ready`, to be saved. Who prepared it stays in the hash, to know a repeated confirmation by.
local function end_preparation(record)
  move(record, 'ready')
  record.prepare_until = nil
  redis.call('HDEL', RECORD .. name_of(record), 'prepare_until')
  redis.call('ZREM', RESERVED, record.container_id)
end

-- Makes a record known by its container and its tenant.
local function enter(record, key_ttl_ms)
  save(record, key_ttl_ms)
  redis.call('SET', REVERSE .. record.container_id, name_of(record))
  redis.call('ZADD', TENANT .. record.tenant_id, 0, record.conversation_id)
end

-- Deletes the record. Its container's place is reserved until it is released.
local function forget(record, deadline)
  move(record, 'gone')
  local container = record.container_id
  redis.call('DEL', RECORD .. name_of(record), REVERSE .. container, WORK .. container)
  redis.call('ZREM', TENANT .. record.tenant_id, record.conversation_id)
  redis.call('ZREM', EXPIRY, container)
  redis.call('ZADD', RESERVED, deadline, container)
end

-- What a record leaves behind whose key is gone by its own TTL.
local function forget_remains(container)
  local name = redis.call('GET', REVERSE .. container)
  if name and redis.call('EXISTS', RECORD .. name) == 0 then
    local tenant, conversation = string.match(name, '^([^:]*):(.*)$')
    redis.call('ZREM', TENANT .. tenant, conversation)
  end
  redis.call('DEL', REVERSE .. container, WORK .. container)
end

-- When a record first needs a look if nothing more happens to it: not while work holds a lease, then when
-- it has been idle for long enough or is old enough.
local function when_to_look(record, idle_ms, max_lifetime_ms)
  local quiet_from = math.max(record.last_active_at, last_lease_end(record.container_id))
  local expires = math.min(quiet_from + idle_ms, record.created_at + max_lifetime_ms)
  return math.max(quiet_from, expires)
end

local function look_at(container, when)
  redis.call('ZADD', EXPIRY, when, container)
end

-- Containers that count against the maximum.
local function places_used()
  return redis.call('ZCARD', RESERVED) + redis.call('ZCARD', EXPIRY) + redis.call('LLEN', WARM_POOL)
end

-- Out of the pool, a member or one that was to be; true if it was a member.
local function leave_pool(container)
  redis.call('ZREM', STARTING, container)
  redis.call('HDEL', STARTERS, container)
  redis.call('DEL', POOL_INFO .. container)
  return redis.call('LREM', WARM_POOL, 1, container) == 1
end

-- The oldest member, out of the pool, and what is known of it; or nil. One of which nothing is known is to be ended.
local function pop_member()
  local member = redis.call('LPOP', WARM_POOL)
  while member do
    local info = read_hash(POOL_INFO .. member)
    redis.call('DEL', POOL_INFO .. member)
    if info then
      return member, info
    end
    redis.call('ZADD', RESERVED, NOW, member)
    member = redis.call('LPOP', WARM_POOL)
  end
end

-- Binds a record to a member instead of the place it asked for, which it is remembered by.
local function bind_member(record, member, info)
  record.container_id, record.claimed_for = member, record.container_id
  record.manager_type, record.created_at = info.manager_type, from_iso(info.created_at)
end

local function lease_end(container, work)
  return tonumber(redis.call('ZSCORE', WORK .. container, work) or 0)
end

-- Enters work or prolongs its lease, never shortens it.
local function hold_work(container, work, lease_ms)
  redis.call('ZREMRANGEBYSCORE', WORK .. container, '-inf', NOW - LAPSED_WORK_KEPT)
  redis.call('ZADD', WORK .. container, 'GT', NOW + lease_ms, work)
end

-- Begins work on a live record: 'done'; or 'draining' past the maximum lifetime, when a container takes
-- no new work (nothing changed).
local function begin_work(record, work, lease_ms, idle_ms, max_lifetime_ms, key_ttl_ms)
  local container = record.container_id
  if record.created_at + max_lifetime_ms <= NOW and lease_end(container, work) <= NOW then
    return 'draining'
  end
  hold_work(container, work, lease_ms)
  move(record, 'running')
  save(record, key_ttl_ms)
  look_at(container, when_to_look(record, idle_ms, max_lifetime_ms))
  return 'done'
end

-- Ends work; with the last one `running` -> `idle`. Work that is not there has ended already. `quiet` work does
-- not count as activity.
local function end_work(record, work, quiet, idle_ms, max_lifetime_ms, key_ttl_ms)
  local container = record.container_id
  if redis.call('ZREM', WORK .. container, work) == 0 then
    return
  end
  if not quiet then
    record.last_active_at = NOW
  end
  if record.status == 'running' and not works(container) then
    move(record, 'idle')
  end
  save(record, key_ttl_ms)
  if record.status ~= 'draining' then
    look_at(container, when_to_look(record, idle_ms, max_lifetime_ms))
  end
end
