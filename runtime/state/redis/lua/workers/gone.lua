-- The backend has nothing of it any more: a terminating one is forgotten, and its place is free.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker
-- Returns 'done'.

local worker = find(ARGV[3])
if not worker or worker.state ~= 'terminating' then
  return 'done'
end
redis.call('DEL', WORKER .. worker.id)
redis.call('SREM', WORKERS, worker.id)
redis.call('SREM', WORKERS_OF .. worker.of, worker.id)
redis.call('SREM', TERMINATING .. worker.of, worker.id)
if redis.call('SCARD', WORKERS) == 0 then
  redis.call('DEL', INSTANCES)
end
if tonumber(redis.call('GET', WAITING_FOR_ROOM) or 0) > NOW then
  redis.call('PUBLISH', FREED, '')
else
  tell(worker.of)
end
return 'done'
