-- A part of all live records. One that stays is found in one part at least.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 cursor, '0' at first  4 about how many
-- Returns {list of record fields, the next part's cursor, or '' after the last}.

local cursor, places = unpack(redis.call('ZSCAN', EXPIRY, ARGV[3], 'COUNT', ARGV[4]))
local records = {}
for i = 1, #places, 2 do
  local record = find_by_container(places[i])
  if record then
    records[#records + 1] = as_fields(record)
  end
end
return { records, cursor == '0' and '' or cursor }
