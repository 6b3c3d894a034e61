import { ASKING } from '../asking-options.ts';
import type { CommandSpec } from '../command-spec.ts';

export const containerCommands = {
  logs: {
    group: 'Operating',
    says: 'show the output of a container',
    arguments: { container: { completes: 'container' } },
    options: { tail: { value: 'lines', says: 'how many lines from the end: 200 unless given' }, ...ASKING },
    notes: `A container as berth ps shows it, or a conversation, whose container is meant. Wants a key of scope admin. On a terminal
nothing but colours passes that would steer it; in a pipe all does.`,
    examples: [
      ['berth logs ws-566dd1cc0228', 'the end of it'],
      ['berth logs demo --tail 1000', 'more, by the name of its conversation'],
    ],
  },
  pool: {
    group: 'Operating',
    says: 'show the pools, or set the sizes of the warm one',
    arguments: {},
    options: {
      min: { value: 'count', says: 'least containers to keep warm' },
      max: { value: 'count', says: 'most of them' },
      ...ASKING,
    },
    notes: 'The warm pool of conversations, and the workers of functions. Wants a key of scope admin.',
    examples: [
      ['berth pool', 'how many there are, and how many there should be'],
      ['berth pool --min 5 --max 20', 'from now on, on every instance'],
    ],
  },
} as const satisfies Record<string, CommandSpec>;
