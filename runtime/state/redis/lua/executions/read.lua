-- Logged events after a number, the oldest first.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 execution  6 number  7 about how many bytes
-- Returns {1 if nothing follows these, else 0, list of {first, last, frames}}; {} without the execution.

local name, most = execution_name(unpack(ARGV, 3, 5)), tonumber(ARGV[7])
local AT_ONCE = 8

local execution = find_execution(name)
if not execution then
  return {}
end
local ended = execution.status ~= 'running'
local gone = ended and from_iso(execution.ended_at) + LOG_KEPT <= NOW

local entries, bytes, from = {}, 0, string.format('%.0f-0', tonumber(ARGV[6]) + 1)
while not gone do
  local page = redis.call('XRANGE', EVENTS .. name, from, '+', 'COUNT', AT_ONCE)
  for _, entry in ipairs(page) do
    local id, fields = entry[1], entry[2]
    if fields[1] == 'first' then
      bytes = bytes + #fields[4]
      if #entries > 0 and bytes > most then
        return { 0, entries }
      end
      entries[#entries + 1] = { fields[2], string.match(id, '^%d+'), fields[4] }
    end
    from = '(' .. id
  end
  gone = #page < AT_ONCE
end
return { ended and 1 or 0, entries }
