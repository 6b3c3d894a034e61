-- Takes a lease that is free or lapsed, or prolongs the owner's own.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 name  4 owner  5 ms
-- Returns 1, or 0 while another holds it (nothing changed).

local key, owner, deadline = LEASE .. ARGV[3], ARGV[4], NOW + tonumber(ARGV[5])

local lease = read_hash(key)
local held_until = lease and from_iso(lease['until']) or 0
if lease and lease.owner ~= owner and held_until > NOW then
  return 0
end
if lease and lease.owner == owner then
  deadline = math.max(deadline, held_until)
end
redis.call('HSET', key, 'owner', owner, 'until', iso(deadline))
redis.call('PEXPIRE', key, deadline - NOW + DAY)
return 1
