// Docker's health check: exits 0 when the proxy in this container says that it is well.
const address = `http://127.0.0.1:${process.env.ADMIN_PORT ?? 8081}/health`;
const response = await fetch(address, { signal: AbortSignal.timeout(4_000) });
process.exitCode = response.ok ? 0 : 1;
