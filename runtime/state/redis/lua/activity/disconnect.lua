-- One connection less; with the last live one the idle timer begins.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 workspace  4 connection  5 idle ms
-- Returns 'done'.

local workspace, connection, idle_ms = ARGV[3], ARGV[4], tonumber(ARGV[5])

redis.call('ZREM', CONNECTIONS .. workspace, connection)
if live_connections(workspace) == 0 then
  arm_timer(workspace, idle_ms)
end
return 'done'
