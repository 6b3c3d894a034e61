import { ASKING } from '../asking-options.ts';
import type { CommandSpec } from '../command-spec.ts';

const one = { function: { completes: 'function' } } as const;

export const functionCommands = {
  'function deploy': {
    group: 'Functions',
    says: 'define a function, of a handler or an image',
    arguments: { ...one, handler: { optional: true, completes: 'file' } },
    options: {
      image: { value: 'image', says: 'one that answers HTTP on its port' },
      'task-definition': { value: 'name', says: "on ECS, instead of an image: one of the operator's list" },
      env: {
        value: 'NAME=value',
        short: 'e',
        repeated: true,
        says: 'a variable of its environment; NAME alone takes the value from here',
      },
      port: { value: 'port', says: 'where it listens: 8080' },
      path: { value: 'path', says: 'where calls go: /' },
      timeout: { value: 'time', short: 't', says: 'for a call: 60s' },
      cpus: { value: 'count', says: 'of each worker' },
      memory: { value: 'MiB', says: 'of each worker' },
      pids: { value: 'count', says: 'most processes of each worker' },
      min: { value: 'count', says: 'workers that are kept ready: 0' },
      max: { value: 'count', says: 'most workers: 1' },
      'idle-timeout': { value: 'time', says: 'when a worker that nobody calls ends: 300s' },
      'acquire-timeout': { value: 'time', says: 'how long a call waits for a worker: 30s' },
      queue: { value: 'count', says: 'how many calls wait: 100' },
      ...ASKING,
    },
    notes: `A handler is a file of less than 64 KiB: .js and .mjs for Node, .py for Python. All of the function is said at once: what
is left out is as by default, also where it was something else before.`,
    examples: [
      ['berth function deploy hello hello.mjs', 'a file that exports a handler'],
      ['berth function deploy resize --image resize:1.2 --max 8 --memory 1024', 'an image'],
    ],
  },
  'function invoke': {
    group: 'Functions',
    says: 'call a function',
    arguments: one,
    options: {
      data: {
        value: 'text',
        short: 'd',
        completes: 'file',
        says: 'what to send; @file takes it from a file',
      },
      header: { value: "'Name: value'", short: 'H', repeated: true, says: 'a header of the call' },
      ...ASKING,
    },
    notes: `Without --data, standard input is sent where it is a file or a pipe. The answer's body is printed as it comes. Text that
is JSON is sent as JSON unless a header says otherwise.
Exit code: 0 where the function answered with a status below 400, else 1.`,
    examples: [
      [`berth function invoke hello -d '{"name": "Ada"}'`, 'JSON'],
      ['berth function invoke resize -d @photo.jpg > small.jpg', 'bytes both ways'],
    ],
  },
  'function ls': {
    group: 'Functions',
    says: 'list functions',
    arguments: {},
    options: { ...ASKING },
    examples: [['berth function ls', 'with an admin key, how many workers each has']],
  },
  'function rm': {
    group: 'Functions',
    says: 'delete functions',
    arguments: { function: { many: true, completes: 'function' } },
    options: { ...ASKING },
    examples: [['berth function rm hello', 'its workers end with it']],
  },
} as const satisfies Record<string, CommandSpec>;
