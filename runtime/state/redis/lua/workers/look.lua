-- Keys: those of worker-rules.lua.
-- Returns {list of {worker, function, revision, state, since, created at, instance or ''}, now}.

local workers = {}
for i, id in ipairs(redis.call('SMEMBERS', WORKERS)) do
  local fields = redis.call('HMGET', WORKER .. id, 'of', 'revision', 'state', 'since', 'created_at', 'instance')
  workers[i] = { id, unpack(fields) }
end
return { workers, NOW }
