-- Puts off the next look at a live record; never brings it nearer.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 ms from now
-- Returns 'done', or 'stale' (nothing changed). A preparation has its own time.

local tenant, conversation, container = unpack(ARGV, 3, 5)

local record = find_bound(tenant .. ':' .. conversation, container)
if not record or record.status == 'preparing' then
  return 'stale'
end
redis.call('ZADD', EXPIRY, 'GT', NOW + tonumber(ARGV[6]), container)
return 'done'
