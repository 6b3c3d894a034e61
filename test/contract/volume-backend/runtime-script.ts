import { PassThrough } from 'node:stream';
import { DockerBackend } from '../../../runtime/containers/docker/docker-backend.ts';
import { EcsBackend } from '../../../runtime/containers/ecs/ecs-backend.ts';
import { ProcessBackend } from '../../../runtime/containers/process/process-backend.ts';
import { MemoryTaskStore } from '../../../runtime/state/memory/memory-task-store.ts';
import { must } from '../../support/must.ts';
import type { Order } from './runtime-process.ts';
import type { Opening } from './volumes-under-test.ts';

// A runtime in a process of its own, for a test to kill or to freeze. Told of a volume it begins an archive of it, or,
// told of an archive and half of its bytes, a restore; it says so and goes no further.

process.once('message', async ({ opening, name, archive, half }: Order) => {
  const volumes = must(open(opening).volumes);
  const { signal } = new AbortController();
  if (archive === undefined) {
    const { content } = await volumes.archive(name, signal);
    await content.iterator().next();
  } else {
    const content = new PassThrough();
    void volumes.restore(name, content, archive, signal);
    content.write(Buffer.from(half ?? '', 'base64'));
  }
  process.send?.('half way');
});

function open({ kind, options }: Opening) {
  switch (kind) {
    case 'docker':
      return new DockerBackend(options);
    case 'ecs':
      return new EcsBackend({ ...options, tasks: new MemoryTaskStore() });
    case 'process':
      return new ProcessBackend(options);
  }
}
