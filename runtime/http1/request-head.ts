const METHOD = /^[A-Z]+(?:-[A-Z]+)?$/;
const PATH = /^[\x21-\x7e\x80-\xff]+$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

interface RequestLine {
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value: all of them but `Connection`. */
  readonly headers: readonly string[];
}

/** The head as it goes out, one character a byte. Throws when a part of it would not be read as that part. */
export function requestHead({ method, path, headers }: RequestLine): string {
  if (!METHOD.test(method) || !PATH.test(path)) throw new TypeError('a method or a path is none');
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('a header is none');
    head += `${name}: ${value}\r\n`;
  }
  return `${head}Connection: keep-alive\r\n\r\n`;
}
