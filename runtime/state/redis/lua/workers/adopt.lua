-- Takes one in that nobody knows, as `idle`.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker  4 function  5 revision  6 most of the function
-- Returns 'done', or 'stale' (nothing changed).

local id, of, revision, max = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])

if redis.call('EXISTS', WORKER .. id) == 1 or redis.call('SCARD', WORKERS_OF .. of) >= max then
  return 'stale'
end
enter(id, of, revision, 'idle', 0, { instance = '', lease = '', deadline = 0 })
redis.call('LPUSH', IDLE .. of, id)
tell(of)
return 'done'
