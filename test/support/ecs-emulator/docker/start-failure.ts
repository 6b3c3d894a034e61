import { engineMessage } from '../../../../images/builder/engine.ts';
import { StartFailure } from '../tasks/task-backing.ts';

/** Why the engine would not, in the words of ECS: an image that it does not have is one that could not be pulled. */
export function startFailure(error: unknown, code: string, container?: string): StartFailure {
  if (error instanceof StartFailure) return error;
  const message = engineMessage(error);
  return new StartFailure(
    `${/no such image/i.test(message) ? 'CannotPullContainerError' : code}: ${message}`,
    container,
  );
}
