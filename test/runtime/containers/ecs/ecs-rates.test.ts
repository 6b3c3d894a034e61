import { expect, it } from 'vitest';
import { StubEcs } from './stub-ecs.ts';

const INSTANCES = 8;
const EACH = 20;

it('instances that start and stop tasks at once, while two of them look at all, are never throttled', async () => {
  await using ecs = await StubEcs.start(); // at the documented rates
  const backends = Array.from({ length: INSTANCES }, () =>
    ecs.backend({ instances: INSTANCES, pollSeconds: 2 }),
  );
  const throttled = () => ecs.emulator.calls.all.filter(({ error }) => error === 'ThrottlingException');
  const over = new AbortController();
  const looks = backends.slice(0, 2).map(async (backend) => {
    while (!over.signal.aborted) await backend.list('conversation');
  });
  const ids = await Promise.all(
    backends.map(async (backend) => {
      const specs = Array.from({ length: EACH }, () => ecs.spec());
      await Promise.all([backend.ping(), ...specs.map((spec) => backend.create(spec))]);
      return specs.map(({ id }) => id);
    }),
  );
  expect(ecs.emulator.calls.count('RunTask')).toBe(INSTANCES * EACH);
  await Promise.all(backends.flatMap((backend, n) => (ids[n] ?? []).map((id) => backend.destroy(id))));
  expect(ecs.emulator.calls.count('StopTask')).toBe(INSTANCES * EACH);
  over.abort();
  await Promise.all(looks);
  expect(throttled()).toEqual([]);
});
