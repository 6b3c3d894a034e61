-- Forgets the record. Its place stays reserved until `release`: the container may still run.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 stop ms
-- Returns 'done', or 'stale' (nothing changed). A place that is reserved for no record, nor for a member of the
-- pool to come, is one whose record is forgotten already: 'done'.

local tenant, conversation, container = unpack(ARGV, 3, 5)
local stop_ms = tonumber(ARGV[6])

local record = find_bound(tenant .. ':' .. conversation, container)
if record then
  forget(record, NOW + stop_ms)
  return 'done'
end
local stopping = redis.call('ZSCORE', RESERVED, container) and not redis.call('ZSCORE', STARTING, container)
  and not find_by_container(container)
return stopping and 'done' or 'stale'
