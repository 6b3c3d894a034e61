import { ASKING } from '../asking-options.ts';
import type { CommandSpec } from '../command-spec.ts';

const one = { workspace: { completes: 'workspace' } } as const;
const many = { workspace: { many: true, completes: 'workspace' } } as const;
const WAIT = { says: 'come back when it is there' } as const;

export const workspaceCommands = {
  'workspace create': {
    group: 'Workspaces',
    says: 'make a workspace: an environment that lasts',
    arguments: { id: { optional: true } },
    options: {
      name: { value: 'name', says: 'what people call it' },
      image: { value: 'image', says: 'one that listens on port 8080; the editor unless given' },
      'standby-ttl': { value: 'time', says: 'how long it runs after its last use: 30m, 2h' },
      'archive-ttl': { value: 'time', says: 'how long it then stays before it is archived: 7d, or never' },
      stopped: { says: "don't start it yet" },
      wait: WAIT,
      ...ASKING,
    },
    notes: 'The id, up to 40 of a-z, 0-9 and -, is made up where none is given. It is printed.',
    examples: [
      ['berth workspace create notes', 'an editor and terminals in the browser'],
      ['berth workspace create --wait --standby-ttl 2h', 'come back when it runs'],
    ],
  },
  'workspace ls': {
    group: 'Workspaces',
    says: 'list workspaces',
    arguments: {},
    options: { ...ASKING },
    examples: [['berth workspace ls', 'all of yours, and how long each has until it stands by']],
  },
  'workspace open': {
    group: 'Workspaces',
    says: 'make a link that opens a workspace in a browser',
    arguments: one,
    options: { 'no-browser': { says: 'only print it' }, ...ASKING },
    notes: `The link is good once, within a minute; it wakes a workspace that stands by. At a terminal with a browser (BROWSER,
or a desktop) it is opened, too.`,
    examples: [
      ['berth workspace open notes', 'opens it, or prints where it is'],
      ['berth workspace open notes --no-browser', 'a link to hand on'],
    ],
  },
  'workspace start': {
    group: 'Workspaces',
    says: 'start workspaces; one that failed is tried again',
    arguments: many,
    options: { wait: WAIT, ...ASKING },
    examples: [['berth workspace start notes --wait', 'comes back when it runs']],
  },
  'workspace stop': {
    group: 'Workspaces',
    says: 'stop workspaces; their homes stay',
    arguments: many,
    options: { wait: WAIT, ...ASKING },
    examples: [['berth workspace stop notes', 'until it is opened or started again']],
  },
  'workspace rm': {
    group: 'Workspaces',
    says: 'delete workspaces with their homes',
    arguments: many,
    options: { ...ASKING },
    notes: 'What was in the home is gone with it; to keep it, stop the workspace instead.',
    examples: [['berth workspace rm notes', 'its container, its home, and later its archives']],
  },
} as const satisfies Record<string, CommandSpec>;
