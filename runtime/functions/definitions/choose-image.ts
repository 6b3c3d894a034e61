import { resolveImage } from '../../containers/allowed-images.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { FunctionTask } from '../../contracts/function-task.ts';
import type { FunctionSource } from './function-settings.ts';
import type { FunctionImage, FunctionWords } from './function-words.ts';

/**
 * What the workers of a function run, of what the operator allows. Throws `INVALID_REQUEST`, `FORBIDDEN` and, for what
 * this backend does not take, `NOT_SUPPORTED`.
 */
export function chooseImage(
  { runs, port }: Pick<FunctionWords, 'runs' | 'port'>,
  source: FunctionSource,
): { image: string; port?: number } {
  if (source.kind === 'task-definition') return ofTaskDefinitions(runs, port, source.tasks);
  if ('taskDefinition' in runs)
    throw new BerthError('NOT_SUPPORTED', 'task_definition is for ecs: this backend takes an image');
  const found = resolveImage(runs.image, source.images);
  switch (found.kind) {
    case 'image':
      return { image: found.image };
    case 'forbidden':
      throw new BerthError('FORBIDDEN', found.detail);
    case 'malformed':
      throw new BerthError('INVALID_REQUEST', 'the body is not valid', {
        errors: [{ path: 'image', message: found.detail }],
      });
  }
}

/** Where its program listens is the operator's to say. */
function ofTaskDefinitions(
  runs: FunctionImage,
  port: number | undefined,
  tasks: readonly FunctionTask[],
): { image: string; port: number } {
  const list = tasks.length === 0 ? 'none so far' : tasks.map(({ name }) => name).join(', ');
  const hint = `there are: ${list}; the operator adds others to ECS_FUNCTION_TASK_DEFINITIONS`;
  if ('image' in runs)
    throw new BerthError('NOT_SUPPORTED', `ecs takes no image, but a task_definition; ${hint}`);
  const task = tasks.find(({ name }) => name === runs.taskDefinition);
  if (task !== undefined && port !== undefined && port !== task.port)
    throw new BerthError('INVALID_REQUEST', 'the body is not valid', {
      errors: [{ path: 'port', message: `${task.name} listens on ${task.port}: leave it out` }],
    });
  if (task !== undefined) return { image: task.name, port: task.port };
  const shown = JSON.stringify(runs.taskDefinition.slice(0, 100));
  throw new BerthError('FORBIDDEN', `the task definition ${shown} is not allowed; ${hint}`);
}
