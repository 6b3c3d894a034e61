// Docker's health check: exits 0 when the runtime in this container says that it is well.
const host = process.env.HOST ?? '127.0.0.1';
const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
const address = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${process.env.PORT ?? 7420}/health`;
const response = await fetch(address, { signal: AbortSignal.timeout(4_000) });
process.exitCode = response.ok ? 0 : 1;
