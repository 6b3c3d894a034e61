-- Keys: those of prelude.lua.
-- Arguments: 3 min size  4 max size
-- Returns 'done'.

redis.call('HSET', POOL_CONFIG, 'min_size', ARGV[3], 'max_size', ARGV[4])
return 'done'
