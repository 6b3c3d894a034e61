-- That very one, if it is idle since then: -> `busy`.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker  4 since  5 instance  6 lease  7 ms
-- Returns 'done', also when repeated; or 'stale' (nothing changed).

local worker, since, holder = find(ARGV[3]), ARGV[4], holder_at(5)
if not is_since(worker, 'idle', since) then
  local held = find_held(ARGV[3], holder.lease)
  return held and held.state == 'busy' and 'done' or 'stale'
end
redis.call('LREM', IDLE .. worker.of, -1, worker.id)
redis.call('HSET', WORKER .. worker.id, 'state', 'busy', 'since', digits(NOW), 'was_paused', 0)
give_to(worker, holder)
return 'done'
