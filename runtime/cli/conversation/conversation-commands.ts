import { ASKING, RUNNING } from '../asking-options.ts';
import type { CommandSpec } from '../command-spec.ts';

const ENDS =
  "Exit code: the program's own; 124 when its time was up; 128 and the signal's number when it was killed";

export const conversationCommands = {
  run: {
    group: 'Conversations',
    says: 'run a script, or ask an agent, and stream what it says',
    arguments: { file: { optional: true, completes: 'file' } },
    options: {
      code: { value: 'code', short: 'c', says: 'run this text instead of a file' },
      conversation: {
        value: 'id',
        completes: 'conversation',
        says: 'in this conversation; else in a new one that goes afterwards',
      },
      keep: { says: 'leave the new conversation and its files' },
      model: {
        value: 'name',
        says: "what runs it: code/python, code/bash, code/node, or what the service's own runner knows",
      },
      ...RUNNING,
      ...ASKING,
    },
    notes: `A file of - is standard input. The #! line or the name's ending (.py .sh .js .mjs) tells the language. What it prints
comes as it is printed, stdout on stdout and stderr on stderr; --json gives every event, a line each.

Ctrl-C cancels it and waits for its end; a second one leaves at once.
${ENDS}; 130 after Ctrl-C.`,
    examples: [
      ['berth run analyse.py', 'a file, in a sandbox of its own'],
      ["berth run -c 'print(6 * 7)'", 'a line'],
      ['berth run --conversation demo --timeout 5m build.sh', 'where the files of demo are'],
      ["echo 'ls -la' | berth run --model code/bash -", 'what a pipe brings'],
    ],
  },
  exec: {
    group: 'Conversations',
    says: 'run a command in a conversation',
    arguments: { conversation: { completes: 'conversation' }, command: { many: true } },
    passesOn: true,
    options: {
      ...RUNNING,
      'no-stdin': { short: 'n', says: 'leave standard input alone, as for a loop that reads it' },
      ...ASKING,
    },
    notes: `The conversation comes to be at its first use. Standard input goes along where it is a file or a pipe: text, up to 1 MiB.
Ctrl-C ends the command.
${ENDS}; 130 after Ctrl-C.`,
    examples: [
      ['berth exec demo -- python3 -c "print(1)"', 'a program and its arguments; no shell in between'],
      ["berth exec demo -- sh -c 'ls | wc -l'", 'a shell, where one is wanted'],
      ['berth exec demo wc -w < notes.txt', 'with input'],
    ],
  },
  cp: {
    group: 'Conversations',
    says: 'copy files into a conversation, or out of it',
    arguments: { from: { completes: 'copied' }, to: { completes: 'copied' } },
    options: {
      recursive: { short: 'r', says: 'folders, with all that is in them' },
      durable: { says: 'come back once what was written is saved, so that it survives the container' },
      ...ASKING,
    },
    notes: `conversation:path is a file below its /workspace; - is standard input or output. A target that ends with / is a folder to
put it into, as is a folder of this machine that is there. Write ./a:b for a file of this machine with a colon.
Links, empty folders and, on the way in, permissions do not come along.`,
    examples: [
      ['berth cp data.csv demo:input/data.csv', 'in'],
      ['berth cp demo:result.png .', 'out'],
      ['berth cp -r src demo:', 'a folder, which will be src there'],
      ['berth cp -r demo: saved', 'everything'],
      ['berth cp demo:report.json - | jq .', 'to a pipe'],
    ],
  },
  ls: {
    group: 'Conversations',
    says: 'list the files of a conversation',
    arguments: { place: { completes: 'conversation' } },
    options: { recursive: { short: 'R', says: 'what is in folders, too' }, ...ASKING },
    notes: 'The place is a conversation, or conversation:folder.',
    examples: [
      ['berth ls demo', 'its files and folders'],
      ['berth ls -R demo:src', 'everything below a folder'],
      ["berth ls --json demo | jq -r '.files[].path'", 'for a program'],
    ],
  },
  rm: {
    group: 'Conversations',
    says: 'delete conversations, or files of theirs',
    arguments: { what: { many: true, completes: 'conversation' } },
    options: { purge: { says: 'delete the saved files, too' }, ...ASKING },
    notes: `A conversation's files are saved before its container goes, and are there with its next use, unless --purge is given.
conversation:path deletes a file.`,
    examples: [
      ['berth rm demo', 'ends it; its files stay'],
      ['berth rm --purge demo other', 'leaves nothing of two'],
      ['berth rm demo:notes/old.txt', 'a file'],
    ],
  },
  ps: {
    group: 'Conversations',
    says: 'show what runs, since when, and how long it has left',
    arguments: {},
    options: { ...ASKING },
    notes: `Your conversations and workspaces; with a key of scope admin, every container of the installation. LEFT is how long it
lasts if nothing is done with it.`,
    examples: [
      ['berth ps', 'a table'],
      ["berth ps --json | jq -r '.conversations[].conversation_id'", 'the ids'],
    ],
  },
} as const satisfies Record<string, CommandSpec>;
