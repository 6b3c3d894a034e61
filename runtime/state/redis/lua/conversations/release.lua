-- Frees a reserved place, unless a record still claims it.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 container
-- Returns 'done', or 'claimed' (nothing changed).

local container = ARGV[3]
if find_by_container(container) then
  return 'claimed'
end
if redis.call('ZREM', RESERVED, container) == 1 then
  forget_remains(container)
  leave_pool(container)
end
return 'done'
