-- A conversation's executions, the latest first.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 limit
-- Returns a list of {id, execution fields}.

local tenant, conversation, limit = ARGV[3], ARGV[4], tonumber(ARGV[5])
local index = EXECUTIONS .. tenant .. ':' .. conversation

local found, from = {}, 0
while #found < limit do
  local ids = redis.call('ZREVRANGE', index, from, from + limit - 1)
  for _, id in ipairs(ids) do
    local execution, flat = find_execution(execution_name(tenant, conversation, id))
    if execution and #found < limit then
      found[#found + 1] = { id, flat }
    end
  end
  if #ids < limit then
    break
  end
  from = from + limit
end
return found
