import type { FunctionRequest } from '../../client/api.ts';
import { number, seconds, variables, wholeNumber } from '../arguments/values.ts';
import type { Command } from '../command.ts';
import { type Environment, UsageError } from '../command-spec.ts';
import type { GivenTo } from '../command-table.ts';
import { openService } from '../connection/open-service.ts';
import { escaped } from '../terminal/escape.ts';
import { handlerOf } from './handler.ts';

export const command: Command<'function deploy'> = async (given, { env, screen }) => {
  const definition = definitionOf(given, env);
  const berth = await openService(given.options, env);
  const made = await berth.functions.put(given.arguments.function, definition);
  if (given.options.json) screen.json(made);
  else
    screen.print(`${escaped(`${made.name} ${made.image ?? made.task_definition ?? ''} ${made.revision}`)}\n`);
  return 0;
};

function definitionOf(
  { arguments: { handler }, options }: GivenTo<'function deploy'>,
  env: Environment,
): FunctionRequest {
  const source = handler === undefined ? undefined : handlerOf(handler);
  const image = options.image ?? source?.image;
  const task = options['task-definition'];
  if ((image === undefined) === (task === undefined))
    throw new UsageError('say what it is made of: a handler file, --image or --task-definition');
  const all = { ...source?.env, ...variables(options.env, env) };
  return {
    image,
    task_definition: task,
    env: Object.keys(all).length === 0 ? undefined : all,
    port: wholeNumber('port', options.port),
    path: options.path,
    timeout_seconds: seconds('timeout', options.timeout),
    resources: unlessEmpty({
      cpus: number('cpus', options.cpus),
      memory_mb: wholeNumber('memory', options.memory),
      pids: wholeNumber('pids', options.pids),
    }),
    scaling: unlessEmpty({
      min_capacity: wholeNumber('min', options.min),
      max_capacity: wholeNumber('max', options.max),
      idle_timeout: seconds('idle-timeout', options['idle-timeout']),
      acquire_timeout: seconds('acquire-timeout', options['acquire-timeout']),
      queue: wholeNumber('queue', options.queue),
    }),
  };
}

function unlessEmpty<Values extends object>(values: Values): Values | undefined {
  return Object.values(values).every((value) => value === undefined) ? undefined : values;
}
