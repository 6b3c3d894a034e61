import { Refusal, writeFile } from './api.js';
import { askChoice } from './ask.js';
import { tell } from './notices.js';
import { join, nameOf } from './paths.js';

/** @typedef {{ path: string, file: File }} Upload */

/**
 * What was dropped, folders with all that is in them.
 * @param {DataTransfer} dropped
 * @returns {Promise<Upload[]>}
 */
export async function droppedFiles(dropped) {
  // Once this turn is over the browser forgets what was dropped.
  const items = [...dropped.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found = items.map((item) => {
    if (item === null) return [];
    return item instanceof File ? [{ path: item.name, file: item }] : filesOf(item, '');
  });
  return (await Promise.all(found)).flat();
}

/**
 * @param {FileSystemEntry} entry
 * @param {string} folder
 * @returns {Promise<Upload[]>}
 */
async function filesOf(entry, folder) {
  const path = join(folder, entry.name);
  if (entry.isFile) {
    const { file } = /** @type {FileSystemFileEntry} */ (entry); // as `isFile` says
    return [{ path, file: await new Promise((resolve, reject) => file.call(entry, resolve, reject)) }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader(); // the other of two kinds
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const inner of some) found.push(...(await filesOf(inner, path)));
  }
}

/**
 * Uploads files one after the other, and asks before one takes another's place.
 * @param {string} folder
 * @param {Upload[]} uploads
 */
export async function upload(folder, uploads) {
  let done = 0;
  for (const { path, file } of uploads) {
    try {
      if (await put(join(folder, path), file)) done++;
    } catch (error) {
      tell(`Could not upload ${path}: ${error instanceof Error ? error.message : error}`, { bad: true });
      return;
    }
  }
  if (done > 0) tell(done === 1 ? 'Uploaded one file.' : `Uploaded ${done} files.`);
}

/**
 * @param {string} path
 * @param {File} file
 */
async function put(path, file) {
  try {
    await writeFile(path, file, 'none');
    return true;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'EXISTS') throw error;
    const choice = await askChoice(`Replace ${nameOf(path)}?`, error.message, [
      { value: 'replace', label: 'Replace', kind: 'danger' },
    ]);
    if (choice !== undefined) await writeFile(path, file, 'any');
    return choice !== undefined;
  }
}
