-- Keys: those of prelude.lua.
-- Returns {reserved places, live places}.

return { redis.call('ZCARD', RESERVED), redis.call('ZCARD', EXPIRY) }
