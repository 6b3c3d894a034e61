-- Ends a running execution: its last events, its status, and the end of its work.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 relay  7 status  8 its work  9 idle ms  10 max lifetime ms
--   11 record key TTL ms  12 most bytes in the log  13.. first, last, frames of each entry
-- Returns 'done', or 'stale' (nothing changed).

local tenant, conversation, id, relay, status, work = unpack(ARGV, 3, 8)
local idle_ms, max_lifetime_ms, key_ttl_ms = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local name = execution_name(tenant, conversation, id)

local execution = find_relayed(name, relay)
if not execution then
  return 'stale'
end

local last = log_entries(name, execution, 13, tonumber(ARGV[12]))
end_log(name, last, status, LOG_KEPT)
redis.call('HSET', EXECUTION .. name, 'status', status, 'ended_at', iso(NOW),
  'offset', last - tonumber(execution.agent_seq))
redis.call('PEXPIRE', EXECUTION .. name, EXECUTION_KEPT)
redis.call('PEXPIRE', EXECUTIONS .. tenant .. ':' .. conversation, EXECUTION_KEPT + DAY)
leave_running(tenant, conversation, id)
end_execution_work(tenant, conversation, execution.container_id, work, idle_ms, max_lifetime_ms, key_ttl_ms)
return 'done'
