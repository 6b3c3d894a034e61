-- Preparation is over: `preparing` -> `ready`; and the work begins that was asked for, if nothing stands against it.
--
-- Keys: those of prelude.lua. Needs execution-rules.lua.
-- Arguments: 3 tenant  4 conversation  5 container  6 owner  7 idle ms  8 max lifetime ms
--   9 record key TTL ms  10… the work to begin, if any: see work_asked_for
-- Returns {'live', record fields} when the work has begun, {'done'}, or {'stale'} (nothing changed).

local tenant, conversation, container, owner = unpack(ARGV, 3, 6)
local idle_ms, max_lifetime_ms, key_ttl_ms = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

local work = ARGV[10] and work_asked_for(10)

local name = tenant .. ':' .. conversation
local record = find_preparation(name, container, owner)
if not record then
  local found = find_bound(name, container)
  local confirmed = found and found.prepare_owner == owner
    and found.status ~= 'preparing' and found.status ~= 'draining'
  if confirmed and work and has_begun(found, work) then
    return { 'live', as_fields(found) }
  end
  return { confirmed and 'done' or 'stale' }
end

end_preparation(record)
save(record, key_ttl_ms)
look_at(container, when_to_look(record, idle_ms, max_lifetime_ms))
if work and not (work.execution and known_or_too_many(tenant, conversation, work.execution)) then
  local begun = begin_on(record, work)
  if begun[1] == 'live' then
    return begun
  end
end
return { 'done' }
