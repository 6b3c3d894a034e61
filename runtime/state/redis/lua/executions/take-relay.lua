-- Makes the caller the relay, if none holds the lease or it does already.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 relay  7 lease ms
-- Returns {'taken', execution fields}, or {'held'}, {'ended'}, {'absent'} (nothing changed).

local name, relay, deadline = execution_name(unpack(ARGV, 3, 5)), ARGV[6], NOW + tonumber(ARGV[7])

local execution = find_execution(name)
if not execution then
  return { 'absent' }
end
if execution.status ~= 'running' then
  return { 'ended' }
end
local held_until = tonumber(redis.call('ZSCORE', RELAYS, name) or 0)
if execution.relay == relay then
  deadline = math.max(deadline, held_until)
elseif held_until > NOW then
  return { 'held' }
end

redis.call('HSET', EXECUTION .. name, 'relay', relay)
redis.call('ZADD', RELAYS, deadline, name)
local _, flat = find_execution(name)
return { 'taken', flat }
