-- Keys: those of prelude.lua.
-- Returns how many executions run.

return redis.call('ZCARD', RELAYS)
