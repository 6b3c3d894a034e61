-- Those whose holder is dead, or whose lease is past, are to be ended by this holder.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 instance  4 lease  5 ms; from 6 on, the leases under which the instance holds workers
-- Returns the list of them, also when repeated.

local holder, own = holder_at(3), {}
for i = 6, #ARGV do
  own[ARGV[i]] = true
end

local beats = {}
local function last_beat(instance)
  beats[instance] = beats[instance] or tonumber(redis.call('ZSCORE', INSTANCES, instance) or 0)
  return beats[instance]
end

local function has_lost(worker)
  if worker.deadline <= NOW then
    return true
  end
  if worker.instance == holder.instance then
    return not own[worker.lease]
  end
  return math.max(last_beat(worker.instance), tonumber(worker.since)) + SILENT <= NOW
end

local taken = {}
for _, id in ipairs(redis.call('SMEMBERS', WORKERS)) do
  local worker = find(id)
  if worker.lease ~= '' and has_lost(worker) then
    if worker.state ~= 'terminating' then
      terminate(worker)
    end
    give_to(worker, holder)
    taken[#taken + 1] = id
  end
end
redis.call('ZREMRANGEBYSCORE', INSTANCES, '-inf', NOW - SILENT)
if #taken > 0 then
  redis.call('ZADD', INSTANCES, NOW, holder.instance)
  redis.call('PEXPIRE', INSTANCES, DAY)
end
return taken
