/** What would change how the text around it looks, or hide in it. */
const CONTROLS = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
/** A terminal's. */
const COLOURS = /\p{Cc}\[[0-9;:]*m/gu;

/**
 * Text that others chose, for people: control characters are seen as what they are, and turn nothing around.
 * @param {string} text
 */
export function printable(text) {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? '\u2421' : `\u2039U+${code.toString(16).toUpperCase().padStart(4, '0')}\u203a`;
  });
}

/**
 * The same of what a program prints: its colours are left out.
 * @param {string} text
 */
export const printedOutput = (text) => printable(text.replace(COLOURS, ''));
