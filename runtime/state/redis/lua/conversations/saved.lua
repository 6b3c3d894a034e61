-- The container's files are saved as this version.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 version  7 record key TTL ms
-- Returns 'done', or 'stale' (nothing changed).

local tenant, conversation, container, version = unpack(ARGV, 3, 6)

local record = find_bound(tenant .. ':' .. conversation, container)
if not record then
  return 'stale'
end
record.saved_version = version
save(record, tonumber(ARGV[7]))
return 'done'
