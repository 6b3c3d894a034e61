-- `busy` -> `idle`; -> `terminating`, held by the same, where the revision is another by now.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker  4 lease  5 revision
-- Returns 'idle'; 'terminating', also when repeated; or 'stale' (nothing changed).

local worker, revision = find_held(ARGV[3], ARGV[4]), ARGV[5]
if not worker or worker.state == 'provisioning' then
  return 'stale'
end
if worker.state == 'terminating' then
  return 'terminating'
end
if worker.revision ~= revision then
  terminate(worker)
  return 'terminating'
end
let_go(worker, 'idle', IDLE)
return 'idle'
