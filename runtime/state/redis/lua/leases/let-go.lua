-- Gives a lease up, if it is the owner's.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 name  4 owner
-- Returns 'done'.

if redis.call('HGET', LEASE .. ARGV[3], 'owner') == ARGV[4] then
  redis.call('DEL', LEASE .. ARGV[3])
end
return 'done'
