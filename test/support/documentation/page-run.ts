import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../../runtime/version.ts';
import { docker } from '../services/provided.ts';
import type { PageBlock } from './page-blocks.ts';
import { PageSession } from './page-session.ts';
import { type PageSetting, settingOf } from './page-settings.ts';
import { removeLeftovers } from './remove-leftovers.ts';
import { isOutput } from './same-output.ts';

/** One page, its commands run in one shell against a service of its own. */
export class PageRun implements AsyncDisposable {
  readonly #page: string;
  readonly #folder: string;
  readonly #setting: PageSetting;
  readonly #session: PageSession;
  ran = 0;

  private constructor(page: string, folder: string, setting: PageSetting) {
    this.#page = page;
    this.#folder = folder;
    this.#setting = setting;
    this.#session = new PageSession(folder, setting.env);
  }

  static async open(page: string): Promise<PageRun> {
    // Not the system's temporary folder, whose path may be too long for sockets below it.
    const folder = mkdtempSync(join('/tmp', 'berth-page-'));
    return new PageRun(page, folder, await settingOf(page, VERSION, folder));
  }

  /** For readers who have the service already. */
  async start(): Promise<void> {
    if (this.#setting.started) await this.#commands('npm start', 'the start');
  }

  /** Runs commands, and holds what they print against what the page shows. */
  async block(block: PageBlock): Promise<void> {
    if (block.kind === 'file') return this.#session.write(block.name, this.#own(block.text));
    if (block.elsewhere) return;
    this.ran += 1;
    const place = `${this.#page}:${block.line}`;
    const printed = this.#documented(await this.#commands(this.#own(block.text), place));
    if (block.output !== undefined && !isOutput(block.output, printed))
      throw new Error(`${place} shows\n${block.output}\nbut it prints\n${printed}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
    await removeLeftovers(docker().host, this.#setting.own);
    await this.#setting.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #commands(text: string, place: string): Promise<string> {
    const { printed, failed, complained } = await this.#session.run(text);
    if (failed === '') return printed;
    const said = [failed, printed, complained, this.#session.serviceLogs].join('\n---\n');
    throw new Error(`${place} fails:\n${text}\n---\n${said}`);
  }

  /** The page's words as they are run here. */
  #own(text: string): string {
    return Object.entries(this.#setting.instead).reduce(
      (made, [from, to]) => made.replaceAll(from, to),
      text,
    );
  }

  /** What is printed here as the page would have it. */
  #documented(printed: string): string {
    const address = printed.replaceAll(/http:\/\/(?:127\.0\.0\.1|0\.0\.0\.0):\d+/g, 'http://127.0.0.1:7420');
    return Object.entries(this.#setting.instead).reduce(
      (made, [to, from]) => made.replaceAll(from, to),
      address,
    );
  }
}
