import { isUtf8 } from 'node:buffer';
import type { TarReceipt } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Call } from '../agent.ts';
import { bodyChunks } from '../http/request-body.ts';
import { sendJson } from '../http/send-json.ts';
import { Problem } from '../problem.ts';
import { TarError } from '../tar/header.ts';
import { readTar, type TarEntry } from '../tar/read-tar.ts';
import { makeDirectories } from './make-directories.ts';
import { parseWorkspacePath, showPath } from './workspace-path.ts';
import { writeInside } from './write-inside.ts';

/** In the year 2242, the last that a plain tar header can tell. */
const LATEST_TIME = 0o77777777777;

/** Unpacks an archive into the workspace, entry by entry: what came before a refused one stays. */
export async function putTar({ agent, req, res }: Call): Promise<void> {
  const receipt: TarReceipt = { files: 0, bytes: 0 };
  try {
    for await (const entry of readTar(bodyChunks(req))) {
      const name = entryName(entry);
      if (entry.type === '5') {
        makeDirectory(agent.root, name);
        continue;
      }
      const path = parseWorkspacePath(name);
      const { content, mode } = entry;
      const modifiedAt = Math.min(entry.modifiedAt, LATEST_TIME);
      receipt.bytes += await writeInside(agent.root, path, content, { mode, modifiedAt });
      receipt.files += 1;
    }
  } catch (error) {
    if (error instanceof TarError) throw new Problem('INVALID_REQUEST', error.message);
    throw error;
  }
  sendJson(res, 200, receipt);
}

/** What an entry is called, without the `./` of archives made with `tar c .`. */
function entryName(entry: TarEntry): string {
  const shown = showPath(entry.path.toString());
  // '7' is a file that some systems would store in one piece.
  if (!['0', '5', '7'].includes(entry.type)) {
    throw new Problem('INVALID_PATH', `the archive holds a link or a device: ${shown}`);
  }
  if (!isUtf8(entry.path)) throw new Problem('INVALID_PATH', `the path is not UTF-8: ${shown}`);
  if (entry.type === '5' && entry.size > 0) {
    throw new Problem('INVALID_REQUEST', `the archive holds a directory with a content: ${shown}`);
  }
  return entry.path.toString().replace(/^(\.\/)+/, '');
}

function makeDirectory(root: string, name: string): void {
  const path = name.replace(/\/$/, '');
  if (path === '' || path === '.') return; // the workspace itself
  makeDirectories(root, parseWorkspacePath(path)).close();
}
