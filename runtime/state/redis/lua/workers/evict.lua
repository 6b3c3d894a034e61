-- `provisioning` or `busy` -> `terminating`, held by the same.
--
-- Keys: those of worker-rules.lua.
-- Arguments: 3 worker  4 lease
-- Returns 'done', also when repeated; or 'stale' (nothing changed).

local worker = find_held(ARGV[3], ARGV[4])
if not worker then
  return 'stale'
end
if worker.state ~= 'terminating' then
  terminate(worker)
end
return 'done'
