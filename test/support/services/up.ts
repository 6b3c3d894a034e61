import { removeServicesEnv, servicesEnvFile, writeServicesEnv } from './services-env.ts';
import { startServices } from './start-services.ts';

// `npm run services`: keeps the services up until Ctrl-C, for runs of single test files with plain vitest.

const stopping = new AbortController();
process.on('SIGHUP', () => {});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const services = await startServices({
  say: (line) => console.log(`# ${line}`),
  started: writeServicesEnv,
  signal: stopping.signal,
});
for (const [name, value] of Object.entries(services.env)) console.log(`export ${name}='${value}'`);
for (const { service, missing } of services.leftOut) {
  console.log(`# without ${service.name}: ${missing}. To have it: ${service.remedy}`);
}
if (!stopping.signal.aborted) {
  console.log(`# the same is in ${servicesEnvFile()}; Ctrl-C stops everything`);
  const keepAlive = setInterval(() => {}, 60_000);
  await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(keepAlive);
}
removeServicesEnv(services.env);
await services.stop();
