-- Keys: those of prelude.lua.
-- Arguments: 3 container
-- Returns the ids of work whose lease has not lapsed.

return redis.call('ZRANGEBYSCORE', WORK .. ARGV[3], '(' .. string.format('%.0f', NOW), '+inf')
