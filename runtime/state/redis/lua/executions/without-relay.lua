-- Running executions whose relay's lease has lapsed, the longest first. One whose hash is gone by its TTL is
-- forgotten.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 limit
-- Returns a list of {tenant, conversation, execution}.

local lapsed = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', RELAYS, '-inf', NOW, 'LIMIT', 0, ARGV[3])) do
  local tenant, conversation, id = string.match(name, '^([^:]*):([^:]*):(.*)$')
  if redis.call('EXISTS', EXECUTION .. name) == 1 then
    lapsed[#lapsed + 1] = { tenant, conversation, id }
  elseif adopted() then
    leave_running(tenant, conversation, id)
  end
end
return lapsed
