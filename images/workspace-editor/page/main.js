import { Documents } from './documents.js';
import { movableEdge } from './edges.js';
import { element } from './element.js';
import { download, newFile, newFolder, remove, rename } from './file-actions.js';
import { LastingSocket } from './lasting-socket.js';
import { showMenu } from './menu.js';
import { attempt } from './notices.js';
import { folderOf } from './paths.js';
import { Terminals } from './terminals.js';
import { Tree } from './tree.js';
import { droppedFiles, upload } from './uploads.js';

// Puts the parts together: the tree, the open files, the terminals, and what goes on between them.

/** @param {string} view on a small screen, what is seen */
function show(view) {
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll('#views button'))
    button.setAttribute('aria-pressed', `${button.getAttribute('data-view') === view}`);
}

/** @param {boolean} is */
function tellConnected(is) {
  element('status').textContent = is ? '' : 'The connection is lost. Trying again…';
  element('status').classList.toggle('lost', !is);
}

const documents = new Documents(() => tellFolders());
const terminals = new Terminals(tellConnected);
const tree = new Tree({
  open: (path) => {
    show('editor');
    void documents.open(path);
  },
  rename: (path) => void rename(path, (to) => renamed(path, to)),
  remove: (path) => void remove(path, () => deleted(path)),
  menu: ({ path, kind }, at) => {
    const folder = kind === 'folder' ? path : folderOf(path);
    showMenu(at, [
      { label: 'New file…', act: () => void newFile(folder, madeFile) },
      { label: 'New folder…', act: () => void newFolder(folder, (made) => tree.reveal(made)) },
      { label: 'Rename…', act: () => void rename(path, (to) => renamed(path, to)) },
      ...(kind === 'file' ? [{ label: 'Download', act: () => download(path) }] : []),
      { label: 'Delete…', act: () => void remove(path, () => deleted(path)) },
    ]);
  },
  changed: () => tellFolders(),
});

/** @param {string} path */
async function madeFile(path) {
  await tree.reveal(path);
  show('editor');
  await documents.open(path);
}

/**
 * @param {string} from
 * @param {string} to
 */
async function renamed(from, to) {
  documents.moved(from, to);
  await tree.refresh();
  await tree.reveal(to);
  tree.focus();
}

/** @param {string} path */
async function deleted(path) {
  documents.deleted(path);
  await tree.refresh();
  tree.focus();
}

const watching = new LastingSocket(
  'watch',
  {},
  {
    opened: () => {
      tellConnected(true);
      tellFolders();
    },
    text: ({ changed }) => {
      if (!Array.isArray(changed)) return;
      const shown = new Set(tree.folders);
      void tree.refresh(changed.filter((folder) => shown.has(folder)));
      void documents.refresh((path) => changed.includes(folderOf(path)));
    },
    lost: () => tellConnected(false),
  },
);

let told = '';

/** Names to the server the folders whose changes matter: those in the tree, and those of open files. */
function tellFolders() {
  const folders = JSON.stringify({ folders: [...new Set([...tree.folders, ...documents.folders()])] });
  if (told !== folders || !watching.isOpen) watching.send(folders);
  told = watching.isOpen ? folders : '';
}

function lookAgain() {
  void tree.refresh();
  void documents.refresh(() => true);
}

element('new-file').addEventListener('click', () => void newFile(tree.currentFolder, madeFile));
element('new-folder').addEventListener(
  'click',
  () => void newFolder(tree.currentFolder, (made) => tree.reveal(made)),
);
element('refresh').addEventListener('click', lookAgain);
addEventListener('focus', lookAgain);

const chooser = /** @type {HTMLInputElement} */ (element('upload-files')); // as the page has it
element('upload').addEventListener('click', () => chooser.click());
chooser.addEventListener('change', async () => {
  await upload(
    tree.currentFolder,
    [...(chooser.files ?? [])].map((file) => ({ path: file.name, file })),
  );
  chooser.value = '';
  await tree.refresh();
});

const box = element('tree');
// A drop beside the tree must not leave the page for the file.
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => event.preventDefault());
box.addEventListener('dragover', () => box.classList.add('dropping'));
for (const over of ['dragleave', 'drop']) box.addEventListener(over, () => box.classList.remove('dropping'));
box.addEventListener('drop', (event) => {
  const { dataTransfer } = event;
  if (dataTransfer === null) return;
  const folder = tree.folderAt(event.target);
  void attempt('Could not upload', async () => {
    await upload(folder, await droppedFiles(dataTransfer));
    await tree.refresh();
  });
});

addEventListener(
  'keydown',
  (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!(ctrlKey || metaKey) || altKey || shiftKey) return;
    if (key === 's') void documents.save();
    else if (key === '`' && element('terminals').contains(document.activeElement)) {
      show('editor');
      documents.focus();
    } else if (key === '`') {
      show('terminal');
      terminals.focus();
    } else return;
    event.preventDefault();
  },
  { capture: true },
);

for (const button of document.querySelectorAll('#views button')) {
  button.addEventListener('click', () => {
    const view = button.getAttribute('data-view') ?? 'editor';
    show(view);
    if (view === 'terminal') terminals.focus();
  });
}

movableEdge('files-edge', '--files-width', {
  from: ({ clientX }) => clientX,
  now: () => element('files').offsetWidth,
  keys: ['ArrowLeft', 'ArrowRight'],
  least: 140,
  most: () => innerWidth * 0.6,
});
movableEdge('terminals-edge', '--terminals-height', {
  from: ({ clientY }) => element('terminals').getBoundingClientRect().bottom - clientY,
  now: () => element('terminals').offsetHeight,
  keys: ['ArrowDown', 'ArrowUp'],
  least: 80,
  most: () => innerHeight * 0.8,
});

await Promise.all([tree.refresh(), documents.restore(), terminals.restore()]);
