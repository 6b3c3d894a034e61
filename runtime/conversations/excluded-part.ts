/** The first part of a path that one of these names leaves out of saving; `*` stands for anything within a name. */
export function excludedPart(path: string, names: readonly string[]): string | undefined {
  const patterns = names.map((name) => new RegExp(`^${name.split('*').map(escaped).join('.*')}$`, 's'));
  return path.split('/').find((part) => patterns.some((pattern) => pattern.test(part)));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');
}
