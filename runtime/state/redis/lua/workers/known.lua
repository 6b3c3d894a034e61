-- Keys: those of worker-rules.lua.
-- Arguments: from 3 on, workers
-- Returns the places in that list, from 0 on, of those that are known.

local known = {}
for i = 3, #ARGV do
  if redis.call('SISMEMBER', WORKERS, ARGV[i]) == 1 then
    known[#known + 1] = i - 3
  end
end
return known
