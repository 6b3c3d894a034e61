-- `idle` or `paused`, since then -> `terminating`, held by the holder, unless the function would have too few.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker  4 since  5 how many to keep  6 instance  7 lease  8 ms
-- Returns 'done', also when repeated; 'kept' or 'stale' (nothing changed).

local worker, since, keep, holder = find(ARGV[3]), ARGV[4], tonumber(ARGV[5]), holder_at(6)
local idle, paused = is_since(worker, 'idle', since), is_since(worker, 'paused', since)
if not idle and not paused then
  local held = find_held(ARGV[3], holder.lease)
  return held and held.state == 'terminating' and 'done' or 'stale'
end
local usable = redis.call('SCARD', WORKERS_OF .. worker.of) - redis.call('SCARD', TERMINATING .. worker.of)
if usable <= keep then
  return 'kept'
end
redis.call('LREM', (idle and IDLE or PAUSED) .. worker.of, -1, worker.id)
terminate(worker)
give_to(worker, holder)
return 'done'
