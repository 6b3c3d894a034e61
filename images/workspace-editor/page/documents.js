import { Refusal, readText, writeFile } from './api.js';
import { askChoice } from './ask.js';
import { editorTheme, whenColoursChange } from './colours.js';
import { element } from './element.js';
import { download } from './file-actions.js';
import { languageOf } from './languages.js';
import { recall, recallList, remember } from './memory.js';
import { attempt, tell } from './notices.js';
import { folderOf, isWithin, nameOf } from './paths.js';
import { Tabs } from './tabs.js';

/** @typedef {{ path: string, version: string, session: import('ace-builds').Ace.EditSession }} OpenFile */

/** The files that are open: one editor, a tab and a session for each file. */
export class Documents {
  /** @type {Map<string, OpenFile>} */
  #open = new Map();
  /** @type {string | undefined} */
  #shown;
  /** @type {Set<string>} */
  #opening = new Set();
  #tabs;
  #editor;
  #changed;

  /** @param {() => void} changed called when other files are open, or another one is shown */
  constructor(changed) {
    this.#changed = changed;
    ace.config.set('basePath', 'vendor/ace');
    this.#editor = ace.edit(element('editor'), {
      theme: editorTheme(),
      fontSize: 13,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
      showPrintMargin: false,
      scrollPastEnd: 0.3,
      useWorker: false,
      navigateWithinSoftTabs: true,
      enableKeyboardAccessibility: true,
    });
    whenColoursChange(() => this.#editor.setTheme(editorTheme()));
    this.#editor.on('changeSelection', () => this.#tellPlace());
    new ResizeObserver(() => this.#editor.resize()).observe(element('editor'));
    this.#tabs = new Tabs(element('document-tabs'), {
      controls: 'editor',
      choose: (path) => this.#show(path),
      close: (path) => this.close(path),
    });
    element('save').addEventListener('click', () => this.save());
    addEventListener('beforeunload', (event) => {
      if ([...this.#open.keys()].some((path) => this.#isUnsaved(path))) event.preventDefault();
    });
  }

  get shown() {
    return this.#shown;
  }

  get paths() {
    return [...this.#open.keys()];
  }

  /** What was open when this browser was last here; the welcome on the first visit. */
  async restore() {
    const shown = recall('shown');
    const before = recall('open') === null ? ['welcome.md'] : recallList('open');
    for (const path of before) {
      // What is gone meanwhile is not worth a word.
      await this.#load(path).catch(() => {});
    }
    this.#show(typeof shown === 'string' && this.#open.has(shown) ? shown : this.paths[0]);
  }

  /** @param {string} path */
  async open(path) {
    if (this.#open.has(path)) this.#show(path);
    else if (!this.#opening.has(path)) {
      this.#opening.add(path);
      try {
        await this.#load(path);
        this.#show(path);
      } catch (error) {
        this.#tellWhyNot(path, error);
      } finally {
        this.#opening.delete(path);
      }
    }
  }

  focus() {
    this.#editor.focus();
  }

  /** @param {string | undefined} [path] */
  async save(path = this.#shown) {
    const file = this.#open.get(path ?? '');
    if (file === undefined) return;
    await attempt(`Could not save ${nameOf(file.path)}`, async () => {
      try {
        await this.#write(file, file.version);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'CHANGED') throw error;
        await this.#settleConflict(file, error);
      }
    });
  }

  /** @param {string} path */
  async close(path) {
    if (this.#isUnsaved(path)) {
      const choice = await askChoice(`Save ${nameOf(path)}?`, 'It has changes that are not saved.', [
        { value: 'save', label: 'Save', kind: 'main' },
        { value: 'drop', label: "Don't save", kind: 'danger' },
      ]);
      if (choice === undefined) return;
      if (choice === 'save') await this.save(path);
      if (choice === 'save' && this.#isUnsaved(path)) return;
    }
    this.#forget(path);
  }

  /**
   * Something was renamed or moved: what is open of it goes along.
   * @param {string} from
   * @param {string} to
   */
  moved(from, to) {
    for (const [path, file] of [...this.#open]) {
      if (!isWithin(path, from)) continue;
      const now = to + path.slice(from.length);
      const shown = this.#shown === path;
      this.#forget(path);
      this.#add({ ...file, path: now });
      file.session.setMode(`ace/mode/${languageOf(nameOf(now))}`);
      if (shown) this.#show(now);
    }
  }

  /**
   * Something was deleted: what is open of it goes too, unless it has changes to save.
   * @param {string} gone
   */
  deleted(gone) {
    for (const path of this.paths) if (isWithin(path, gone) && !this.#isUnsaved(path)) this.#forget(path);
  }

  /**
   * Reads again what changed on disk and not here.
   * @param {(path: string) => boolean} which
   */
  async refresh(which) {
    for (const file of [...this.#open.values()].filter(({ path }) => which(path))) {
      if (this.#isUnsaved(file.path)) continue;
      const read = await readText(file.path).catch(() => undefined);
      if (read === undefined || read.version === file.version || this.#isUnsaved(file.path)) continue;
      this.#replace(file, read);
    }
  }

  /** @param {string} path */
  async #load(path) {
    const { text, version } = await readText(path);
    if (this.#open.has(path)) return;
    const mode = /** @type {import('ace-builds').Ace.SyntaxMode} */ (
      /** @type {unknown} */ (`ace/mode/${languageOf(nameOf(path))}`) // Ace takes a name too
    );
    const session = ace.createEditSession(text, mode);
    session.setUseWorker(false);
    session.setUseWrapMode(/\.(md|markdown|txt)$/i.test(path));
    if (/^\t/m.test(text) || /(^|\/)(makefile|.*\.go)$/i.test(path)) session.setUseSoftTabs(false);
    else session.setTabSize(/^ {2}\S/m.test(text) ? 2 : 4);
    this.#add({ path, version, session });
  }

  /** @param {OpenFile} file */
  #add(file) {
    this.#open.set(file.path, file);
    this.#tabs.add(file.path, nameOf(file.path), `~/${file.path}`);
    // A change is in the undo history only after its own event.
    file.session.on('change', () => queueMicrotask(() => this.#mark(file.path)));
    this.#mark(file.path);
    this.#remember();
  }

  /** @param {string} path */
  #forget(path) {
    const next = this.#tabs.besides(path);
    this.#open.delete(path);
    this.#tabs.remove(path);
    if (this.#shown === path) this.#show(next);
    this.#remember();
  }

  /** @param {string | undefined} path */
  #show(path) {
    const file = path === undefined ? undefined : this.#open.get(path);
    this.#shown = file?.path;
    element('editor').hidden = file === undefined;
    element('nothing-open').hidden = file !== undefined;
    document.title = file === undefined ? 'Workspace' : `${nameOf(file.path)} · Workspace`;
    this.#tabs.select(file?.path);
    if (file !== undefined) {
      this.#editor.setSession(file.session);
      this.#editor.resize();
      this.#editor.focus();
      this.#mark(file.path);
    }
    this.#tellPlace();
    this.#remember();
  }

  /**
   * @param {OpenFile} file
   * @param {string} version
   */
  async #write(file, version) {
    // What is typed while it is being saved is not saved.
    const revision = file.session.getUndoManager().startNewGroup();
    file.version = await writeFile(file.path, file.session.getValue(), version);
    file.session.getUndoManager().markClean(revision);
    this.#mark(file.path);
  }

  /**
   * @param {OpenFile} file
   * @param {Refusal} problem
   */
  async #settleConflict(file, problem) {
    const choice = await askChoice(`${nameOf(file.path)} is not what you opened`, problem.message, [
      { value: 'reload', label: "Take the disk's" },
      { value: 'overwrite', label: 'Overwrite it', kind: 'danger' },
    ]);
    if (choice === 'overwrite') await this.#write(file, 'any');
    if (choice === 'reload') this.#replace(file, await readText(file.path));
  }

  /**
   * @param {OpenFile} file
   * @param {{ text: string, version: string }} read
   */
  #replace(file, { text, version }) {
    const { session } = file;
    const [place, top] = [session.selection.getCursor(), session.getScrollTop()];
    session.doc.setValue(text); // as one change, which can be undone
    session.selection.moveTo(place.row, place.column);
    session.setScrollTop(top);
    file.version = version;
    session.getUndoManager().markClean(session.getUndoManager().startNewGroup());
    this.#mark(file.path);
  }

  /** @param {string} path */
  #isUnsaved(path) {
    return this.#open.get(path)?.session.getUndoManager().isClean() === false;
  }

  /** @param {string} path */
  #mark(path) {
    const unsaved = this.#isUnsaved(path);
    this.#tabs.mark(path, 'unsaved', unsaved);
    if (path === this.#shown) element('save').toggleAttribute('disabled', !unsaved);
  }

  #tellPlace() {
    const path = this.#shown;
    if (path === undefined) element('save').toggleAttribute('disabled', true);
    const { row, column } = this.#editor.getCursorPosition();
    element('place').textContent = path === undefined ? '' : `${row + 1}:${column + 1}`;
    element('language').textContent = path === undefined ? '' : languageOf(nameOf(path)).replace('_', '/');
  }

  #remember() {
    remember('open', this.paths);
    remember('shown', this.#shown ?? null);
    this.#changed();
  }

  /**
   * @param {string} path
   * @param {unknown} error
   */
  #tellWhyNot(path, error) {
    const keep = { label: 'Download', act: () => download(path) };
    const kept = error instanceof Refusal && ['TOO_LARGE', 'NOT_TEXT'].includes(error.code);
    const why = error instanceof Error ? error.message : `${error}`;
    tell(`${nameOf(path)} can't be shown here. ${why}`, { bad: !kept, actions: kept ? [keep] : [] });
  }

  /** @returns {Set<string>} the folders of open files */
  folders() {
    return new Set(this.paths.map(folderOf));
  }
}
