-- Prolongs the relay's lease, never shortens it.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 relay  7 lease ms
-- Returns 'done', or 'stale' (nothing changed).

local name, relay, lease_ms = execution_name(unpack(ARGV, 3, 5)), ARGV[6], tonumber(ARGV[7])

if not find_relayed(name, relay) then
  return 'stale'
end
redis.call('ZADD', RELAYS, 'GT', NOW + lease_ms, name)
return 'done'
