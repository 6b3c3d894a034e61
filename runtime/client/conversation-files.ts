import type { FileList } from './api.ts';
import { byteStream } from './wire/byte-stream.ts';
import type { Caller, CallOptions, Content } from './wire/caller.ts';

export interface WriteOptions extends CallOptions {
  /** Answered once the change is saved, so that it survives the container. */
  durable?: boolean;
}

const ONE = '/v1/conversations/{id}/files/{path}' as const;

/** A conversation's files, by paths below `/workspace`. */
export class ConversationFiles {
  readonly #caller: Caller;
  readonly #id: string;

  constructor(caller: Caller, id: string) {
    this.#caller = caller;
    this.#id = id;
  }

  list(options: CallOptions = {}): Promise<FileList> {
    return this.#caller.json('GET /v1/conversations/{id}/files', { params: { id: this.#id }, ...options });
  }

  /** Its bytes, as they come. Cut short, the stream fails: it never looks whole. */
  async read(path: string, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#caller.answer(`GET ${ONE}`, { params: { id: this.#id, path }, ...options });
    return byteStream(answer, options.signal);
  }

  readText(path: string, options: CallOptions = {}): Promise<string> {
    return this.#caller.text(`GET ${ONE}`, { params: { id: this.#id, path }, ...options });
  }

  /** Makes missing folders; the file appears whole or not at all. */
  async write(path: string, content: Content, { durable = false, signal }: WriteOptions = {}): Promise<void> {
    await this.#caller.text(`PUT ${ONE}`, {
      params: { id: this.#id, path },
      query: durable ? { durable: 'true' } : {},
      content,
      headers: { 'content-type': 'application/octet-stream' },
      signal,
    });
  }

  async delete(path: string, { durable = false, signal }: WriteOptions = {}): Promise<void> {
    await this.#caller.remove(`DELETE ${ONE}`, {
      params: { id: this.#id, path },
      query: durable ? { durable: 'true' } : {},
      signal,
    });
  }
}
