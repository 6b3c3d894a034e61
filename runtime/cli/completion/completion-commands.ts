import { ASKING } from '../asking-options.ts';
import type { CommandSpec } from '../command-spec.ts';

export const KINDS = ['conversation', 'workspace', 'function', 'container'] as const;

export const completionCommands = {
  completion: {
    group: 'Shell',
    says: 'print what makes bash, zsh or fish complete this command',
    arguments: {
      shell: { completes: ['bash', 'zsh', 'fish', 'ids'] },
      kind: { optional: true, completes: KINDS },
    },
    options: { url: ASKING.url, 'key-file': ASKING['key-file'] },
    notes: `Commands, options, files and, where a service answers, the ids of what it has. These are what the scripts ask
for with berth completion ids <kind>, a line each.`,
    examples: [
      ['source <(berth completion bash)', 'in ~/.bashrc'],
      ['source <(berth completion zsh)', 'in ~/.zshrc, after compinit'],
      ['berth completion fish > ~/.config/fish/completions/berth.fish', 'once'],
    ],
  },
} as const satisfies Record<string, CommandSpec>;
