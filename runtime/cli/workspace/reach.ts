import type { Workspace } from '../../client/api.ts';
import type { Workspaces } from '../../client/workspaces.ts';
import { Failure } from '../command-spec.ts';
import { escaped } from '../terminal/escape.ts';
import type { Screen } from '../terminal/screen.ts';

type Wanted = 'RUNNING' | 'STANDBY';

/** Waits until a workspace is in the state that was asked for, and says what is being done meanwhile. */
export async function reach(
  workspaces: Workspaces,
  id: string,
  wanted: Wanted,
  { screen, signal }: { screen: Screen; signal: AbortSignal },
): Promise<Workspace> {
  for await (const event of workspaces.events(id, { signal })) {
    if (event.type === 'progress' && screen.notesAreSeen) screen.note(escaped(event.message), 'dim');
    if (event.type !== 'state_changed') continue;
    const { observed_status: status, operation, error } = event;
    if (status === 'ERROR' || error?.terminal === true)
      throw new Failure(escaped(`${id} failed: ${error?.message ?? ''} (${error?.code ?? status})`));
    if (status === 'DELETED') break;
    if (status === wanted && operation === 'NONE') {
      const { type: _, ...workspace } = event;
      return workspace;
    }
  }
  throw new Failure(`${id} was deleted meanwhile`);
}
