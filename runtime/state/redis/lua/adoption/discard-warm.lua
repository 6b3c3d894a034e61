-- Every member's place becomes reserved and due. It stays among the starting, lapsed: one that turns out to carry a
-- ticket was claimed after all, and is not taken for one that is being stopped.
--
-- Keys: those of prelude.lua.
-- Returns 'done'.

for _, container in ipairs(redis.call('LRANGE', WARM_POOL, 0, -1)) do
  redis.call('DEL', POOL_INFO .. container)
  redis.call('ZADD', RESERVED, NOW, container)
  redis.call('ZADD', STARTING, NOW, container)
end
redis.call('DEL', WARM_POOL)
return 'done'
