const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** Hangul, CJK and its punctuation, kana, full forms. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** How many columns a text takes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** As much of its beginning as fits, with a mark where something is left out. */
export function cutTo(text: string, most: number): string {
  if (displayWidth(text) <= most) return text;
  let [kept, width] = ['', 0];
  for (const character of text) {
    width += characterWidth(character);
    if (width > most - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function characterWidth(character: string): number {
  if (NOTHING.test(character)) return 0;
  return WIDE.test(character) || /^\p{Emoji_Presentation}$/u.test(character) ? 2 : 1;
}
