-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution
-- Returns the execution's fields, none without one.

local _, flat = find_execution(execution_name(unpack(ARGV, 3, 5)))
return flat or {}
