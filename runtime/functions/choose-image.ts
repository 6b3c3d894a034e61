import { resolveImage } from '../containers/allowed-images.ts';
import { BerthError } from '../contracts/errors.ts';
import type { FunctionSource } from './function-settings.ts';
import type { FunctionImage } from './function-words.ts';

/**
 * What the workers of a function run, of what the operator allows. Throws `INVALID_REQUEST`, `FORBIDDEN` and, for what
 * this backend does not take, `NOT_SUPPORTED`.
 */
export function chooseImage(runs: FunctionImage, source: FunctionSource): string {
  if (source.kind === 'task-definition') return ofTaskDefinitions(runs, source.names);
  if ('taskDefinition' in runs)
    throw new BerthError('NOT_SUPPORTED', 'task_definition is for ecs: this backend takes an image');
  const found = resolveImage(runs.image, source.images);
  switch (found.kind) {
    case 'image':
      return found.image;
    case 'forbidden':
      throw new BerthError('FORBIDDEN', found.detail);
    case 'malformed':
      throw new BerthError('INVALID_REQUEST', 'the body is not valid', {
        errors: [{ path: 'image', message: found.detail }],
      });
  }
}

function ofTaskDefinitions(runs: FunctionImage, names: readonly string[]): string {
  const list = names.length === 0 ? 'none so far' : names.join(', ');
  const hint = `there are: ${list}; the operator adds others to ECS_FUNCTION_TASK_DEFINITIONS`;
  if ('image' in runs)
    throw new BerthError('NOT_SUPPORTED', `ecs takes no image, but a task_definition; ${hint}`);
  if (names.includes(runs.taskDefinition)) return runs.taskDefinition;
  const shown = JSON.stringify(runs.taskDefinition.slice(0, 100));
  throw new BerthError('FORBIDDEN', `the task definition ${shown} is not allowed; ${hint}`);
}
