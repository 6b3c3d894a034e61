// Paths are relative to home, with / between names; home is ''.

/** @param {string} path */
export const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);

/** @param {string} path */
export const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/**
 * @param {string} folder
 * @param {string} name
 */
export const join = (folder, name) => (folder === '' ? name : `${folder}/${name}`);

/**
 * Whether a path is this one or below it.
 * @param {string} path
 * @param {string} folder
 */
export const isWithin = (path, folder) => path === folder || path.startsWith(`${folder}/`);

/**
 * A typed path without what a person may add at its ends.
 * @param {string} typed
 */
export const tidy = (typed) => typed.trim().replace(/^(~?\/)+|\/+$/g, '');
