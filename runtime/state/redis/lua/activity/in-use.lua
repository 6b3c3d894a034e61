-- Keys: those of prelude.lua.
-- Arguments: from 3 on, workspaces
-- Returns the places in that list, from 0 on, of those with a live connection or a timer that has not run out; of all,
-- as long as it is not known whether an emptied server has heard of every connection again.

local since = tonumber(redis.call('GET', ACTIVITY_SINCE) or NOW)
redis.call('SET', ACTIVITY_SINCE, string.format('%.0f', since), 'PX', 7 * DAY)
local forgetful = NOW - since < SILENT

local heard = '(' .. string.format('%.0f', NOW - SILENT)
local used = {}
for i = 3, #ARGV do
  local left_until = tonumber(redis.call('GET', IDLE_TIMER .. ARGV[i]) or 0)
  local live = redis.call('ZCOUNT', CONNECTIONS .. ARGV[i], heard, '+inf') > 0
  if forgetful or left_until > NOW or live then
    used[#used + 1] = i - 3
  end
end
return used
