-- A page of a tenant's records in order of conversation id.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 id to start after, or ''  5 status, or ''  6 limit  7 most ids to look at
-- Returns {list of record fields, the last id looked at if more follow, else ''}.

local tenant, after, status = unpack(ARGV, 3, 5)
local limit, most = tonumber(ARGV[6]), tonumber(ARGV[7])
local index = TENANT .. tenant
local from = after == '' and '-' or '(' .. after

local records, looked, last = {}, 0, ''
while #records < limit and looked < most do
  local ids = redis.call('ZRANGEBYLEX', index, from, '+', 'LIMIT', 0, math.min(limit, most - looked))
  if #ids == 0 then
    return { records, '' }
  end
  for _, id in ipairs(ids) do
    local record = find(tenant .. ':' .. id)
    if not record then
      if adopted() then
        redis.call('ZREM', index, id)
      end
    elseif status == '' or record.status == status then
      records[#records + 1] = as_fields(record)
    end
    looked, last, from = looked + 1, id, '(' .. id
    if #records == limit then
      break
    end
  end
end
local more = #redis.call('ZRANGEBYLEX', index, from, '+', 'LIMIT', 0, 1) > 0
return { records, more and last or '' }
