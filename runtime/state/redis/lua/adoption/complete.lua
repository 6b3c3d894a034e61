-- Adoption is over for this life of the server.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 life
-- Returns 'done', or 'stale' (nothing changed): the server has another life now.

if run_id() ~= ARGV[3] then
  return 'stale'
end
redis.call('SET', EPOCH, ARGV[3])
return 'done'
