-- The idle timer begins anew.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 workspace  4 idle ms
-- Returns 'done'.

arm_timer(ARGV[3], tonumber(ARGV[4]))
return 'done'
