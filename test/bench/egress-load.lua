-- For wrk: small plain requests through the proxy that it connects to. Says what came of it as a line of JSON.
-- URL: what is asked for, in absolute form. HOST: its authority. AUTHORIZATION: for the proxy, if it wants one.

wrk.path = os.getenv('URL')
wrk.headers['Host'] = os.getenv('HOST')
wrk.headers['Proxy-Authorization'] = os.getenv('AUTHORIZATION')

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local line = '{"perSecond":%.3f,"p99Ms":%.3f,"failed":%d}\n'
  io.stderr:write(line:format(summary.requests / summary.duration * 1e6, latency:percentile(99) / 1e3, failed))
end
