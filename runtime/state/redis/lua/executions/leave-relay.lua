-- Gives the relay's lease up, for another to take at once.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 relay
-- Returns 'done', or 'stale' (nothing changed).

local name, relay = execution_name(unpack(ARGV, 3, 5)), ARGV[6]

if not find_relayed(name, relay) then
  return 'stale'
end
redis.call('HSET', EXECUTION .. name, 'relay', '')
redis.call('ZADD', RELAYS, NOW, name)
return 'done'
