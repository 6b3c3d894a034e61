import type { Berth } from '../../client/berth.ts';
import { KINDS } from './completion-commands.ts';

type Kind = (typeof KINDS)[number];

/** A shell gets these words: nothing that means something to one is among them, whatever a service says. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function isKind(text: string): text is Kind {
  return KINDS.some((kind) => kind === text);
}

export async function idsOf(berth: Berth, kind: Kind): Promise<string[]> {
  const ids = await {
    conversation: () => named(berth.conversations.list(), ({ conversation_id }) => conversation_id),
    workspace: () => named(berth.workspaces.list(), ({ id }) => id),
    function: () => named(berth.functions.list(), ({ name }) => name),
    container: async () => (await berth.containers.list()).map(({ container_id }) => container_id),
  }[kind]();
  return ids.filter((id) => PLAIN.test(id));
}

function named<Item>(items: AsyncIterable<Item>, name: (item: Item) => string): Promise<string[]> {
  return Array.fromAsync(items, name);
}
