-- `provisioning` -> `idle`.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker  4 lease
-- Returns 'done', or 'stale' (nothing changed).

local worker = find_held(ARGV[3], ARGV[4])
if not worker or worker.state ~= 'provisioning' then
  return 'stale'
end
let_go(worker, 'idle', IDLE)
return 'done'
