-- One more connection; it ends the idle timer.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 workspace  4 connection
-- Returns 1 where there was no other, live one; else 0.

local workspace, connection = ARGV[3], ARGV[4]

local others = live_connections(workspace)
if redis.call('ZSCORE', CONNECTIONS .. workspace, connection) then
  others = others - 1
end
note_connection(workspace, connection)
redis.call('DEL', IDLE_TIMER .. workspace)
return others == 0 and 1 or 0
