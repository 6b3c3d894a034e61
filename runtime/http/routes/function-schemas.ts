import { z } from 'zod';
import type {
  FunctionDefaults,
  FunctionLimits,
  FunctionSettings,
} from '../../functions/definitions/function-settings.ts';
import { environmentProblems, type FunctionWords } from '../../functions/definitions/function-words.ts';

const PATH = /^\/[\x21\x22\x24-\x7e]{0,1023}$/;

/** What may be said of a function, with the defaults and limits of this service. */
export function functionRequest({ defaults, limits }: FunctionSettings) {
  return z
    .strictObject({
      image: z.string().min(1).max(512).optional().meta({
        description: 'An image that answers HTTP on `port`, of those that `ALLOWED_IMAGES` names',
      }),
      task_definition: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .meta({ description: "Instead of an image, on ECS: a name from the operator's list" }),
      env: environment(limits).optional(),
      port: z.int().min(1).max(65_535).optional().meta({ default: defaults.port }),
      path: z
        .string()
        .regex(PATH, 'wants / and up to 1023 printable characters of ASCII, without blanks and #')
        .optional()
        .meta({ description: 'Where calls go', default: defaults.path }),
      timeout_seconds: seconds(1, limits.timeoutSeconds, defaults.timeoutSeconds).meta({
        description: 'How long a call may take, its wait for a worker aside',
      }),
      resources: resources(defaults, limits).optional(),
      scaling: scaling(defaults, limits).optional(),
    })
    .refine(({ image, task_definition }) => (image === undefined) !== (task_definition === undefined), {
      path: ['image'],
      message: 'one of image and task_definition is wanted, and not both',
      when: ({ value }) => typeof value === 'object' && value !== null, // also where something else is wrong
    })
    .meta({ id: 'FunctionRequest' });
}

export function wordsOf(body: z.output<ReturnType<typeof functionRequest>>): FunctionWords {
  const { image, task_definition, resources, scaling } = body;
  return {
    runs: image === undefined ? { taskDefinition: task_definition ?? '' } : { image },
    env: body.env,
    port: body.port,
    path: body.path,
    timeoutSeconds: body.timeout_seconds,
    resources: resources && { cpus: resources.cpus, memoryMb: resources.memory_mb, pids: resources.pids },
    scaling: scaling && {
      minCapacity: scaling.min_capacity,
      maxCapacity: scaling.max_capacity,
      idleTimeoutSeconds: scaling.idle_timeout,
      acquireTimeoutSeconds: scaling.acquire_timeout,
      queue: scaling.queue,
    },
  };
}

function environment(limits: FunctionLimits) {
  return z
    .record(z.string(), z.string())
    .superRefine((env, context) => {
      for (const { name, message } of environmentProblems(env, limits)) {
        context.addIssue({ code: 'custom', message, path: name === undefined ? [] : [name] });
      }
    })
    .meta({
      description: `Environment variables of the program, at most ${limits.variables} and ${limits.environmentBytes} bytes. Their values are shown to nobody`,
    });
}

function resources({ resources: { cpus, memoryMb, pids } }: FunctionDefaults, limits: FunctionLimits) {
  return z
    .strictObject({
      cpus: z.number().min(0.05).max(limits.cpus).optional().meta({ default: cpus }),
      memory_mb: z.int().min(32).max(limits.memoryMb).optional().meta({ default: memoryMb }),
      pids: z.int().min(16).max(limits.pids).optional().meta({ default: pids }),
    })
    .meta({ description: 'Of each worker' });
}

function scaling({ scaling: defaults }: FunctionDefaults, limits: FunctionLimits) {
  return z
    .strictObject({
      min_capacity: z.int().min(0).max(limits.workers).optional().meta({
        description: 'Workers that are kept ready',
        default: defaults.minCapacity,
      }),
      max_capacity: z.int().min(1).max(limits.workers).optional().meta({
        description: 'Most workers, in whatever state',
        default: defaults.maxCapacity,
      }),
      idle_timeout: seconds(1, limits.idleTimeoutSeconds, defaults.idleTimeoutSeconds).meta({
        description: 'Seconds after which a worker that nobody used is ended, unless that leaves too few',
      }),
      acquire_timeout: seconds(0, limits.acquireTimeoutSeconds, defaults.acquireTimeoutSeconds).meta({
        description: 'Seconds that a call waits for a worker',
      }),
      queue: z.int().min(0).max(limits.queue).optional().meta({
        description: 'How many calls wait at one instance',
        default: defaults.queue,
      }),
    })
    .refine(({ min_capacity: min = 0, max_capacity: max = limits.workers }) => min <= max, {
      path: ['min_capacity'],
      message: 'is more than max_capacity',
    });
}

function seconds(least: number, most: number, fallback: number) {
  return z.number().min(least).max(most).optional().meta({ default: fallback });
}

export const functionShown = z
  .object({
    name: z.string(),
    image: z.string().nullable(),
    task_definition: z.string().nullable(),
    env_names: z.array(z.string()).meta({ description: 'Of its environment; the values are not shown' }),
    port: z.int(),
    path: z.string(),
    timeout_seconds: z.number(),
    resources: z.object({ cpus: z.number(), memory_mb: z.int(), pids: z.int() }),
    scaling: z.object({
      min_capacity: z.int(),
      max_capacity: z.int(),
      idle_timeout: z.number(),
      acquire_timeout: z.number(),
      queue: z.int(),
    }),
    revision: z.string().meta({
      description:
        'Another one for another image, environment, port or resources: workers of one before are ended',
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Function' });
