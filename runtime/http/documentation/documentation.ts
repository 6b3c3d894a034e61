import { readFile } from 'node:fs/promises';
import { ERRORS } from '../../contracts/errors.ts';
import { escapeHtml } from '../escape-html.ts';
import { CONTENTS_FILE, type Contents, readContents } from './contents.ts';
import { layout } from './layout.ts';
import { renderMarkdown } from './markdown.ts';

/** The repository, or what the bundle has of it. */
const ROOT = new URL('../../../', import.meta.url);

/** The pages of docs/, read and made when first asked for. An address is looked up among those; it never is a path. */
export class Documentation {
  #contents: Promise<Contents> | undefined;
  readonly #made = new Map<string, Promise<string>>();

  /** A page of docs/ by its address, or nothing where none is listed. */
  async page(address: string): Promise<string | undefined> {
    const contents = await this.#list();
    const [file] = [...contents.addresses].find(([, listed]) => listed === address) ?? [];
    if (file === undefined) return undefined;
    let made = this.#made.get(address);
    if (made === undefined) {
      made = this.#make(file, address, contents);
      this.#made.set(address, made);
      made.catch(() => this.#made.delete(address));
    }
    return made;
  }

  /** A page that is not of docs/, in the same frame. */
  async framed(page: { title: string; html: string; address: string }): Promise<string> {
    return layout(page, await this.#list());
  }

  #list(): Promise<Contents> {
    this.#contents ??= read(CONTENTS_FILE).then(readContents);
    this.#contents.catch(() => {
      this.#contents = undefined;
    });
    return this.#contents;
  }

  async #make(file: string, address: string, contents: Contents): Promise<string> {
    const { title, html } = await renderMarkdown(await read(file), file, contents.addresses);
    return layout({ title, html: file === CONTENTS_FILE ? html + errorList() : html, address }, contents);
  }
}

/** The `type` of every problem leads here: `/docs#CODE`. */
function errorList(): string {
  const items = Object.entries(ERRORS).map(
    ([code, { title }]) => `<li id="${code}"><code>${code}</code> ${escapeHtml(title)}</li>`,
  );
  return `<h2 id="codes">Codes of errors</h2>
<p>What to do about each: <a href="/docs/reference/errors">errors</a>.</p>
<ul>${items.join('\n')}</ul>`;
}

function read(file: string): Promise<string> {
  return readFile(new URL(file, ROOT), 'utf8');
}
