-- Keys: those of prelude.lua.
-- Returns {reserved places, live places, warm places}.

return { redis.call('ZCARD', RESERVED), redis.call('ZCARD', EXPIRY), redis.call('LLEN', WARM_POOL) }
