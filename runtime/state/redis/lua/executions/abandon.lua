-- Forgets a running execution that never reached its container, and ends its work.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 relay  7 its work  8 idle ms  9 max lifetime ms
--   10 record key TTL ms
-- Returns 'done', or 'stale' (nothing changed).

local tenant, conversation, id, relay, work = unpack(ARGV, 3, 7)
local idle_ms, max_lifetime_ms, key_ttl_ms = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
-- For who waits, as it is all that is left of the log.
local END_KEPT = 10000
local name = execution_name(tenant, conversation, id)

local execution = find_relayed(name, relay)
if not execution then
  return 'stale'
end

redis.call('DEL', EXECUTION .. name, EVENTS .. name)
end_log(name, last_event(execution), 'abandoned', END_KEPT)
redis.call('ZREM', EXECUTIONS .. tenant .. ':' .. conversation, id)
leave_running(tenant, conversation, id)
end_execution_work(tenant, conversation, execution.container_id, work, idle_ms, max_lifetime_ms, key_ttl_ms)
return 'done'
