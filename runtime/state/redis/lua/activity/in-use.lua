-- Keys: those of prelude.lua.
-- Arguments: from 3 on, workspaces
-- Returns the places in that list, from 0 on, of those with a live connection or a timer that has not run out.

local heard = '(' .. string.format('%.0f', NOW - SILENT)
local used = {}
for i = 3, #ARGV do
  local left_until = tonumber(redis.call('GET', IDLE_TIMER .. ARGV[i]) or 0)
  if left_until > NOW or redis.call('ZCOUNT', CONNECTIONS .. ARGV[i], heard, '+inf') > 0 then
    used[#used + 1] = i - 3
  end
end
return used
