-- An instance lives, and holds these; those that are not known are there again.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 instance; from 4 on, by turns: worker, function, revision, state, lease, ms
-- Returns the list of those that their lease does not hold any more.

local instance, lost = ARGV[3], {}

if #ARGV == 3 then
  redis.call('ZREM', INSTANCES, instance)
  return lost
end
redis.call('ZADD', INSTANCES, NOW, instance)
redis.call('PEXPIRE', INSTANCES, DAY)
for i = 4, #ARGV, 6 do
  local id, of, revision, state, lease = unpack(ARGV, i, i + 4)
  if redis.call('EXISTS', WORKER .. id) == 1 then
    if not find_held(id, lease) then
      lost[#lost + 1] = id
    end
  else
    enter(id, of, revision, state, state == 'busy' and 1 or 0,
      { instance = instance, lease = lease, deadline = digits(NOW + tonumber(ARGV[i + 5])) })
    if state == 'terminating' then
      redis.call('SADD', TERMINATING .. of, id)
    end
  end
end
return lost
