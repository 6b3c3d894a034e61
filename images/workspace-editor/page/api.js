/** What the server refused, in its words. */
export class Refusal extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Where a call of the API lies: beside the page, wherever a proxy has put that.
 * @param {string} name
 * @param {Record<string, string>} [query]
 */
export function address(name, query = {}) {
  return new URL(`api/${name}?${new URLSearchParams(query)}`, document.baseURI);
}

/**
 * @param {string} method
 * @param {string} name
 * @param {Record<string, string>} [query]
 * @param {RequestInit} [more]
 * @returns {Promise<Response>}
 */
export async function call(method, name, query, more = {}) {
  const response = await fetch(address(name, query), { ...more, method, cache: 'no-store' }).catch(() => {
    throw new Refusal('OFFLINE', 'The workspace does not answer.');
  });
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Refusal(
    said.code ?? `HTTP_${response.status}`,
    said.message ?? `The workspace answered with ${response.status}.`,
  );
}

/** @typedef {{ name: string, kind: 'file' | 'folder' | 'other' }} Entry */

/**
 * @param {string} path
 * @returns {Promise<{ entries: Entry[], more: boolean }>}
 */
export async function listFolder(path) {
  return (await call('GET', 'folder', { path })).json();
}

/**
 * @param {string} path
 * @returns {Promise<{ text: string, version: string }>}
 */
export async function readText(path) {
  const response = await call('GET', 'text', { path });
  // A byte order mark is a character of the file: it is saved again.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  return { text, version: response.headers.get('etag') ?? '' };
}

/**
 * Replaces this version of a file; 'any', or with 'none' makes a new one.
 * @param {string} path
 * @param {BodyInit} content
 * @param {string} version
 * @returns {Promise<string>} the new version
 */
export async function writeFile(path, content, version) {
  /** @type {Record<string, string>} */
  const condition =
    version === 'none' ? { 'if-none-match': '*' } : { 'if-match': version === 'any' ? '*' : version };
  const response = await call('PUT', 'file', { path }, { body: content, headers: condition });
  return (await response.json()).version;
}
