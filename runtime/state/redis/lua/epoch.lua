-- Stands between the prelude and every script that changes what is known of containers: unless the server's data
-- has been adopted in its present life, the script changes nothing and returns 'adopt-first'.

if not adopted() then
  return 'adopt-first'
end
