import { address, call, writeFile } from './api.js';
import { askChoice, askText } from './ask.js';
import { make } from './element.js';
import { attempt } from './notices.js';
import { join, nameOf, tidy } from './paths.js';

// What is done to files by hand: each asks, does it, and tells the page what happened.

/** @param {string} folder */
const where = (folder) => `Name, in ~/${folder}`;

/**
 * @param {string} folder
 * @param {(path: string) => Promise<void>} made
 */
export async function newFile(folder, made) {
  const name = tidy((await askText('New file', where(folder), '', 'Create')) ?? '');
  if (name === '') return;
  const path = join(folder, name);
  await attempt(`Could not create ${name}`, async () => {
    await writeFile(path, '', 'none');
    await made(path);
  });
}

/**
 * @param {string} folder
 * @param {(path: string) => Promise<void>} made
 */
export async function newFolder(folder, made) {
  const name = tidy((await askText('New folder', where(folder), '', 'Create')) ?? '');
  if (name === '') return;
  const path = join(folder, name);
  await attempt(`Could not create ${name}`, async () => {
    await call('POST', 'folder', { path });
    await made(path);
  });
}

/**
 * @param {string} path
 * @param {(to: string) => Promise<void>} moved
 */
export async function rename(path, moved) {
  const to = tidy((await askText(`Rename ${nameOf(path)}`, 'Its path, from home', path, 'Rename')) ?? '');
  if (to === '' || to === path) return;
  await attempt(`Could not rename ${nameOf(path)}`, async () => {
    await call('POST', 'move', { from: path, to });
    await moved(to);
  });
}

/**
 * @param {string} path
 * @param {() => Promise<void>} deleted
 */
export async function remove(path, deleted) {
  const choice = await askChoice(`Delete ${nameOf(path)}?`, 'It can’t be brought back.', [
    { value: 'delete', label: 'Delete', kind: 'danger' },
  ]);
  if (choice === undefined) return;
  await attempt(`Could not delete ${nameOf(path)}`, async () => {
    await call('DELETE', 'entry', { path });
    await deleted();
  });
}

/** @param {string} path */
export function download(path) {
  const link = make('a', { href: address('file', { path }).href, download: nameOf(path) });
  link.click();
}
