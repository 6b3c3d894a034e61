/**
 * Whether a page shows what was printed. `…` in the page stands for anything, and it may break a long line in two: a
 * new line there is any space here, or none.
 */
export function isOutput(shown: string, printed: string): boolean {
  const parts = shown.trim().split('…').map(pattern);
  const text = printed.trim();
  const [only = '', ...more] = parts;
  if (more.length === 0) return new RegExp(`^${only}$`).test(text);
  const last = more.pop() ?? '';
  let at = new RegExp(`^${only}`).exec(text)?.[0].length;
  // Each part as early as it comes: whatever follows it then has the most room.
  for (const part of more) at = at === undefined ? undefined : endOf(part, text, at);
  return at !== undefined && new RegExp(`${last}$`).test(text.slice(at));
}

function endOf(part: string, text: string, from: number): number | undefined {
  const found = new RegExp(part).exec(text.slice(from));
  return found === null ? undefined : from + found.index + found[0].length;
}

function pattern(part: string): string {
  return part
    .split(/\s*\n\s*/)
    .map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('\\s*');
}
