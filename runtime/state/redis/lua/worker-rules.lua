-- Stands behind clock.lua in the scripts of workers/: their keys, and what a worker goes through.
--
-- Keys, the same for each of them; redis-keys.ts spells them and says what they hold. Those from WORKER on are stems.
-- A function's name is `tenant:name`. A worker is a hash: `of`, its function, `revision`, `state`, `since`,
-- `created_at`, `calls`, `was_paused`, and who holds it: `instance`, `lease`, `until`, which are '', '' and 0 while
-- nobody does. Times are milliseconds, in hashes, too.

local WORKERS, LEASES, INSTANCES, WAITING_FOR_ROOM, FREED = unpack(KEYS, 1, 5)
local WORKER, WORKERS_OF, TERMINATING, IDLE, PAUSED, WAITING = unpack(KEYS, 6, 11)

-- In milliseconds; worker-store.ts has both.
local SILENT, WAITS = 15000, 5000

local function digits(ms)
  return string.format('%.0f', ms)
end

-- Who the arguments from `first` on say will hold it: instance, lease, ms.
local function holder_at(first)
  return {
    instance = ARGV[first],
    lease = ARGV[first + 1],
    deadline = digits(NOW + tonumber(ARGV[first + 2])),
  }
end

-- The worker, or nil.
local function find(id)
  local of, revision, state, since, calls, was_paused, instance, lease, deadline = unpack(redis.call('HMGET',
    WORKER .. id, 'of', 'revision', 'state', 'since', 'calls', 'was_paused', 'instance', 'lease', 'until'))
  return of and {
    id = id, of = of, revision = revision, state = state, since = since, calls = tonumber(calls),
    was_paused = tonumber(was_paused), instance = instance, lease = lease, deadline = tonumber(deadline),
  } or nil
end

-- The worker if this lease holds it, or nil. A lease whose time is past holds nothing.
local function find_held(id, lease)
  local worker = find(id)
  return worker and worker.lease == lease and worker.deadline > NOW and worker or nil
end

-- The worker if it has been in this state since then, or nil.
local function is_since(worker, state, since)
  return worker ~= nil and worker.state == state and worker.since == since
end

-- Makes one known.
local function enter(id, of, revision, state, calls, holder)
  redis.call('HSET', WORKER .. id, 'of', of, 'revision', revision, 'state', state, 'since', digits(NOW),
    'created_at', digits(NOW), 'calls', calls, 'was_paused', 0, 'instance', holder.instance,
    'lease', holder.lease, 'until', holder.deadline)
  redis.call('SADD', WORKERS, id)
  redis.call('SADD', WORKERS_OF .. of, id)
end

-- Tells who waits for one of this function.
local function tell(of)
  if tonumber(redis.call('GET', WAITING .. of) or 0) > NOW then
    redis.call('PUBLISH', FREED, of)
  end
end

-- Somebody waits: at WAITING .. a function's name, or WAITING_FOR_ROOM.
local function note_waiting(key)
  redis.call('SET', key, digits(NOW + WAITS), 'PX', WAITS)
end

-- To be had by the next who asks: `idle` and IDLE, or `paused` and PAUSED.
local function let_go(worker, state, list)
  redis.call('HSET', WORKER .. worker.id, 'state', state, 'since', digits(NOW), 'instance', '', 'lease', '',
    'until', 0)
  if worker.state == 'busy' then
    redis.call('HDEL', LEASES, worker.lease)
  end
  redis.call('LPUSH', list .. worker.of, worker.id)
  tell(worker.of)
end

-- To be ended by who has it.
local function terminate(worker)
  redis.call('HSET', WORKER .. worker.id, 'state', 'terminating', 'since', digits(NOW))
  redis.call('SADD', TERMINATING .. worker.of, worker.id)
  if worker.state == 'busy' and redis.call('HGET', LEASES, worker.lease) == worker.id then
    redis.call('HDEL', LEASES, worker.lease)
  end
end

local function give_to(worker, holder)
  redis.call('HSET', WORKER .. worker.id, 'instance', holder.instance, 'lease', holder.lease,
    'until', holder.deadline)
end
