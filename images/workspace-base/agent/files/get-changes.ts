import type { FileChange } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Call } from '../agent.ts';
import { EventStream } from '../http/event-stream.ts';
import { DirectoryWatch } from './directory-watch.ts';
import { excludedNames } from './excluded-names.ts';
import { TreeScan } from './tree-scan.ts';

/** What happens within this time is told as one change. */
const GATHER_MS = 250;

/** Tells that something in the workspace has changed: from when the response begins, nothing escapes. */
export function getChanges(call: Call): void {
  const { agent, res } = call;
  const excluded = excludedNames(call);
  let pending: FileChange['type'] | undefined;
  let gathering: NodeJS.Timeout | undefined;

  const gather = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      if (res.writableNeedDrain) return gather(); // nobody reads: one change more or less is the same
      if (pending) events.send({ type: pending } satisfies FileChange);
      pending = undefined;
    }, GATHER_MS);
  };
  const tell = (type: FileChange['type']) => {
    if (pending !== 'overflow') pending = type;
    gather();
  };

  const listener = { changed: () => tell('changed'), overflow: () => tell('overflow') };
  const scan = new TreeScan(agent.root, excluded, listener);
  const watch = new DirectoryWatch(agent.root, excluded, { ...listener, failed: () => scan.start() });
  res.on('close', () => {
    watch.close();
    scan.close();
    clearTimeout(gathering);
  });
  watch.start();
  const events = new EventStream(res);
}
