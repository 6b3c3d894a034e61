-- Stands behind prelude.lua in the scripts of activity/.

-- A connection whose heart has not beaten for so long is gone; activity-store.ts has the same number.
local SILENT = 90000

-- Connections that are live, without those that are gone.
local function live_connections(workspace)
  redis.call('ZREMRANGEBYSCORE', CONNECTIONS .. workspace, '-inf', NOW - SILENT)
  return redis.call('ZCARD', CONNECTIONS .. workspace)
end

local function note_connection(workspace, connection)
  redis.call('ZADD', CONNECTIONS .. workspace, NOW, connection)
  redis.call('PEXPIRE', CONNECTIONS .. workspace, SILENT + DAY)
end

local function arm_timer(workspace, idle_ms)
  redis.call('SET', IDLE_TIMER .. workspace, string.format('%.0f', NOW + idle_ms), 'PX', math.max(1, idle_ms))
end
