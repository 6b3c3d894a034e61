-- Stands before every script of this folder.
--
-- Arguments, before the script's own, which start at 3:
--   1 milliseconds added to the server's clock   2 the time instead of the server's, or ''

local function now_ms()
  if ARGV[2] ~= '' then
    return tonumber(ARGV[2])
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + tonumber(ARGV[1])
end

local NOW = now_ms()
local DAY = 86400000
