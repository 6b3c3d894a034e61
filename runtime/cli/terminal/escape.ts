/** What moves a cursor, changes colours, starts a line or turns the direction of writing. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;

/** Text that others chose, as a terminal may be given it. */
export function escaped(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The same in quotes and cut, for a message of one line. */
export function shown(text: string): string {
  const safe = escaped(text);
  return `"${safe.length > 80 ? `${safe.slice(0, 80)}…` : safe}"`;
}

/** Lines of a program that others wrote: its colours may pass, nothing else that steers a terminal. */
export function escapedLines(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
      .split(/(\u001b\[[0-9;]*m|\r?\n|\t)/)
      .map((part, index) => (index % 2 === 1 ? part : escaped(part)))
      .join('')
  );
}

/** JSON that is safe on a terminal, too: its own escapes for what it leaves as it is. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
