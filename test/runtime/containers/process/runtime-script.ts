import { ProcessBackend } from '../../../../runtime/containers/process/process-backend.ts';

// A runtime in a process of its own, for a test to kill, or under another user. It makes one container, says so
// and lives on. Told anything, it destroys the container and ends.

const [order = '{}'] = process.argv.slice(2);
const { uid, options, spec } = JSON.parse(order);

if (uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}
const backend = new ProcessBackend(options);
await backend.create(spec);
process.send?.('created');
process.once('message', async () => {
  await backend.destroy(spec.id);
  await backend.close();
  process.disconnect?.();
});
