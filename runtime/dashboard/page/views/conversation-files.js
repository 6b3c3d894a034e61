import { confirmed } from '../parts/dialogs.js';
import { h, put, say } from '../parts/dom.js';
import { attempt, notice } from '../parts/notices.js';
import { printable } from '../parts/printable.js';
import { searchBox } from '../parts/search.js';
import { Table } from '../parts/table.js';
import { bytes, counting } from '../parts/time.js';
import { ApiError, call, send } from '../wire/api.js';

/** @import { FileList } from '../api-types.js' */
/** @import { Visit } from '../router.js' */

/** @typedef {FileList['files'][number]} File */

const SHOWN = 500;

/**
 * The files of a conversation: in its container, or as they were saved.
 * @param {Visit} visit
 */
export async function filesTab({ main, id, signal }) {
  const state = { text: '' };
  /** @type {File[]} */
  let files = [];
  const counted = h('p', { class: 'hint', role: 'status' });
  const table = new Table('Files', {
    key: ({ path }) => path,
    empty: 'There are no files.',
    columns: columns(id, () => void load()),
  });
  const draw = () => {
    const found = files.filter(({ path }) => path.toLowerCase().includes(state.text));
    table.update(found.slice(0, SHOWN));
    const left = found.length > SHOWN ? `, the first ${SHOWN} of them: search for others` : '';
    say(counted, `${found.length} files${left}`);
  };
  const load = async () => {
    try {
      files = (await call('GET /v1/conversations/{id}/files', { params: { id }, signal })).files;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      files = [];
    }
    draw();
  };
  const search = searchBox('Search files', (text) => {
    state.text = text;
    draw();
  });
  put(
    main,
    h(
      'div',
      { class: 'filters' },
      search,
      h('button', { type: 'button', click: () => void attempt('Could not look', load) }, 'Look again'),
      uploadButton(id, load),
    ),
    counted,
    h('div', { class: 'card list' }, table.element),
  );
  await load();
}

/**
 * @param {string} id
 * @param {() => void} changed
 * @returns {import('../parts/table.js').Column<File>[]}
 */
function columns(id, changed) {
  return [
    {
      title: 'File',
      class: 'name',
      make: ({ path }) =>
        h(
          'button',
          { type: 'button', class: 'link mono', click: () => void download(id, path) },
          printable(path),
        ),
    },
    {
      title: 'Size',
      class: 'number',
      make: () => h('span'),
      update: (cell, { size }) => say(cell, bytes(size)),
    },
    { title: 'Changed', class: 'number', make: ({ modified_at }) => counting('since', modified_at) },
    {
      title: 'Act',
      make: ({ path }) =>
        h(
          'button',
          {
            type: 'button',
            class: 'danger',
            'aria-label': `Delete ${printable(path)}…`,
            click: () => void remove(id, path, changed),
          },
          'Delete…',
        ),
    },
  ];
}

/**
 * @param {string} id
 * @param {string} path
 */
async function download(id, path) {
  await attempt('Could not download it', async () => {
    const answer = await send('GET /v1/conversations/{id}/files/{path}', { params: { id, path } });
    // Bytes, whatever they are: nothing here shows them.
    const blob = new Blob([await answer.arrayBuffer()], { type: 'application/octet-stream' });
    const url = URL.createObjectURL(blob);
    h('a', { href: url, download: path.split('/').at(-1) ?? 'file' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
}

/**
 * @param {string} id
 * @param {string} path
 * @param {() => void} changed
 */
async function remove(id, path, changed) {
  const sure = await confirmed({
    title: `Delete ${path}?`,
    text: 'It is gone from the workspace, and from what is saved next.',
    act: 'Delete it',
  });
  if (!sure) return;
  await attempt('Could not delete it', async () => {
    await call('DELETE /v1/conversations/{id}/files/{path}', { params: { id, path } });
    notice(`${path} is deleted.`);
    changed();
  });
}

/**
 * @param {string} id
 * @param {() => Promise<void>} changed
 */
function uploadButton(id, changed) {
  const chooser = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files to upload' });
  chooser.addEventListener('change', async () => {
    const chosen = [...(chooser.files ?? [])];
    chooser.value = '';
    for (const file of chosen) {
      const params = { id, path: file.name };
      await attempt(`Could not upload ${file.name}`, async () => {
        await send('PUT /v1/conversations/{id}/files/{path}', { params, content: file });
        notice(`${file.name} is uploaded.`);
      });
    }
    await attempt('Could not look', changed);
  });
  return h(
    'span',
    {},
    chooser,
    h('button', { type: 'button', class: 'main', click: () => chooser.click() }, 'Upload…'),
  );
}
