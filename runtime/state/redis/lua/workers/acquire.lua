-- The worker that was let go last, an idle one before a paused one, for this holder; those of another revision that
-- stand before it are to be ended by the holder.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 function  4 revision  5 instance  6 lease  7 ms
-- Returns {worker, 1 if it was paused or 0, how many have had it before, list of those to be ended}; with '' for the
-- worker where there is none: somebody waits, then.

local of, revision, holder = ARGV[3], ARGV[4], holder_at(5)

local known = redis.call('HGET', LEASES, holder.lease)
local held = known and find_held(known, holder.lease)
if held then
  return { held.id, held.was_paused, held.calls - 1, {} }
end

local retired = {}
for i, list in ipairs({ IDLE, PAUSED }) do
  local was_paused = i - 1
  local id = redis.call('LPOP', list .. of)
  while id do
    local worker = find(id)
    if worker.revision == revision then
      redis.call('HSET', WORKER .. id, 'state', 'busy', 'since', digits(NOW), 'calls', worker.calls + 1,
        'was_paused', was_paused, 'instance', holder.instance, 'lease', holder.lease, 'until', holder.deadline)
      redis.call('HSET', LEASES, holder.lease, id)
      return { id, was_paused, worker.calls, retired }
    end
    terminate(worker)
    give_to(worker, holder)
    retired[#retired + 1] = id
    id = redis.call('LPOP', list .. of)
  end
end
note_waiting(WAITING .. of)
return { '', 0, 0, retired }
