-- Whether there is something to wait for.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 number
-- Returns the number of the last logged event while the execution runs and that is not after the number given;
-- else -1.

local execution = find_execution(execution_name(unpack(ARGV, 3, 5)))
local last = execution and execution.status == 'running' and last_event(execution)
return last and last <= tonumber(ARGV[6]) and last or -1
