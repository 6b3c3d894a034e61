-- Adds events to the log and renews the relay's lease.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 relay  7 lease ms  8 number of the last event before
--   9 agent's sequence number and  10 offset then  11 most bytes in the log  12.. first, last, frames of each entry
-- Returns 'done', also when repeated; or 'stale' (nothing changed).

local name, relay, lease_ms = execution_name(unpack(ARGV, 3, 5)), ARGV[6], tonumber(ARGV[7])
local before, agent_seq, offset, most = tonumber(ARGV[8]), ARGV[9], ARGV[10], tonumber(ARGV[11])

local execution = find_relayed(name, relay)
if not execution then
  return 'stale'
end
if execution.agent_seq == agent_seq and execution.offset == offset then
  return 'done'
end
if last_event(execution) ~= before then
  return 'stale'
end

log_entries(name, execution, 12, most)
redis.call('HSET', EXECUTION .. name, 'agent_seq', agent_seq, 'offset', offset)
redis.call('PEXPIRE', EVENTS .. name, math.max(0, from_iso(execution.deadline) - NOW) + DAY)
redis.call('ZADD', RELAYS, 'GT', NOW + lease_ms, name)
return 'done'
