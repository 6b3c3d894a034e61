-- A member of the pool instead of a reserved place whose container is still being made: the record is bound to the
-- oldest member, and in its place `starter` makes a member.
--
-- Keys: those of prelude.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 owner  7 lease ms  8 record key TTL ms  9 starter
-- Returns {'claimed', record fields}, also when repeated; or {'empty'} (nothing changed: no member, or the container
-- is there already) or {'stale'} (nothing changed).

local tenant, conversation, container, owner = unpack(ARGV, 3, 6)
local lease_ms, key_ttl_ms, starter = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]

local name = tenant .. ':' .. conversation
local record = find_preparation(name, container, owner)
if not record then
  local other = find(name)
  local again = other and other.claimed_for == container
    and find_preparation(name, other.container_id, owner)
  return again and { 'claimed', as_fields(other) } or { 'stale' }
end
if record.claimed_for or not redis.call('ZSCORE', RESERVED, container) then
  return { 'empty' }
end
local member, info = pop_member()
if not member then
  return { 'empty' }
end

local deadline = NOW + lease_ms
redis.call('DEL', REVERSE .. container)
redis.call('ZADD', RESERVED, deadline, container)
redis.call('ZADD', STARTING, deadline, container)
redis.call('HSET', STARTERS, container, starter)
bind_member(record, member, info)
record.prepare_until = math.max(record.prepare_until, deadline)
enter(record, key_ttl_ms)
look_at(member, record.prepare_until)
return { 'claimed', as_fields(record) }
