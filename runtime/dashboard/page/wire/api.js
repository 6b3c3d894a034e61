import { heldKey } from './session.js';

/** @import { CallName, Calls, Problem, Request } from '../api-types.js' */

/** A call that was refused, or did not get through; its message is for people. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{ code: string, status: number }} facts status 0: no answer came
   */
  constructor(message, { code, status }) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Told when the service does not know the key any more. */
let refused = () => {};

/** @param {() => void} act */
export function whenKeyRefused(act) {
  refused = act;
}

/**
 * Makes a call of the API.
 * @template {CallName} Name
 * @param {Name} name
 * @param {Request<Name>} [request]
 * @returns {Promise<Calls[Name]['answer']>}
 */
export async function call(name, request = {}) {
  const answer = await send(name, request);
  const text = await answer.text();
  // The cast: the document that the types are made of says what an answer has.
  return /** @type {Calls[Name]['answer']} */ (text === '' ? undefined : JSON.parse(text));
}

/**
 * The answer as it comes. Throws where it is none of 2xx.
 * @template {CallName} Name
 * @param {Name} name
 * @param {Request<Name> & { content?: BodyInit, headers?: Record<string, string>, anyStatus?: boolean }} request
 * @returns {Promise<Response>}
 */
export async function send(
  name,
  { params = {}, query = {}, body, content, headers = {}, anyStatus, signal },
) {
  const [method = '', template = ''] = name.split(' ');
  /** @type {RequestInit} */
  const init = {
    method,
    headers: {
      authorization: `Bearer ${heldKey()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    credentials: 'omit',
    cache: 'no-store',
    body: body === undefined ? (content ?? null) : JSON.stringify(body),
    signal: signal ?? null,
  };
  const answer = await reach(`${filled(template, params)}${queryText(query)}`, init);
  if (answer.ok || anyStatus) return answer;
  throw await problemOf(answer);
}

/**
 * @param {string} address
 * @param {RequestInit} init
 */
async function reach(address, init) {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError('The service does not answer. Is it still running?', {
      code: 'UNREACHABLE',
      status: 0,
    });
  }
}

/**
 * `/v1/conversations/{id}/files/{path}`, each value a part of its own; a path keeps its slashes.
 * @param {string} template
 * @param {Record<string, string>} params
 */
function filled(template, params) {
  return template.replace(/\{(\w+)\}/g, (_, name) => {
    const value = params[name] ?? '';
    return name === 'path' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
  });
}

/** @param {Record<string, string | number | undefined>} query */
function queryText(query) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** @param {Response} answer */
async function problemOf(answer) {
  /** @type {Partial<Problem>} */
  const problem = await answer.json().catch(() => ({}));
  const { code = 'UNEXPECTED', detail = `The service answered with ${answer.status}.` } = problem;
  if (answer.status === 401) refused();
  return new ApiError(sentence(detail), { code, status: answer.status });
}

/** @param {string} text */
function sentence(text) {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
