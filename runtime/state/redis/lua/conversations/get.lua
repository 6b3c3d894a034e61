-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation
-- Returns the record's fields, none without a record.

local record = find(ARGV[3] .. ':' .. ARGV[4])
return record and as_fields(record) or {}
