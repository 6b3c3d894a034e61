import { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import { attemptSwap } from './swap-attempt.ts';

// A runtime of an ordinary user: run by socket-swap.test.ts, which reads what it sends.

const [order = '{}'] = process.argv.slice(2);
const { uid, user, dockerHost, base, spec, engineSocket } = JSON.parse(order);

// Everything is loaded by now, so that nothing has to be readable for the other user.
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}
const backend = new DockerBackend({
  installation: 'docker-tests',
  version: '1.2.3',
  dockerHost,
  socketBasePath: base,
  ...(user === undefined ? {} : { user }),
});
try {
  await backend.create(spec);
  const result = await attemptSwap(backend, spec, base, engineSocket);
  process.send?.({ uid: process.getuid?.(), ...result });
} finally {
  await backend.destroy(spec.id);
  await backend.close();
  process.disconnect?.();
}
