-- Keys: those of prelude.lua.
-- Arguments: 3 container
-- Returns the fields of the record bound to it, none without one.

local record = find_by_container(ARGV[3])
return record and as_fields(record) or {}
