import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ArchiveName } from '../../../runtime/containers/volume-backend.ts';
import type { VolumeName } from '../../../runtime/contracts/ids.ts';
import type { Opening, WholeArchive } from './volumes-under-test.ts';

export interface Order {
  opening: Opening;
  name: VolumeName;
  archive?: ArchiveName;
  half?: string;
}

/** A runtime of its own that is in the middle of archiving a volume, or of restoring it from half of an archive. */
export async function startRuntime(
  opening: Opening,
  name: VolumeName,
  archive?: WholeArchive,
): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./runtime-script.ts', import.meta.url));
  const runtime = fork(script, { execArgv: [] });
  const half = archive?.bytes.subarray(0, archive.bytes.length / 2).toString('base64');
  runtime.send({ opening, name, archive: archive?.name, half });
  const [message] = await Promise.race([once(runtime, 'message'), once(runtime, 'exit')]);
  if (message !== 'half way') throw new Error(`the runtime ended with ${message}`);
  return runtime;
}
