-- A place for a new worker, which the holder provisions.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker  4 function  5 revision  6 instance  7 lease  8 ms  9 most of the function  10 most of all
-- Returns 'reserved', also when repeated; 'full' or 'worker-taken' (nothing changed); or 'no-room': somebody waits,
-- then.

local id, of, revision, holder = ARGV[3], ARGV[4], ARGV[5], holder_at(6)
local max, total = tonumber(ARGV[9]), tonumber(ARGV[10])

if redis.call('EXISTS', WORKER .. id) == 1 then
  local held = find_held(id, holder.lease)
  return held and held.state == 'provisioning' and 'reserved' or 'worker-taken'
end
if redis.call('SCARD', WORKERS_OF .. of) >= max then
  return 'full'
end
if redis.call('SCARD', WORKERS) >= total then
  note_waiting(WAITING_FOR_ROOM)
  return 'no-room'
end
enter(id, of, revision, 'provisioning', 0, holder)
return 'reserved'
