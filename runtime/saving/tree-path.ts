const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;
/** UTF-8 of one unit of a string. */
const MAX_BYTES_A_UNIT = 3;

/** A name that is empty, `.`, `..`, or one that an agent gives to files while it writes them and takes from nobody. */
const NO_NAME = /(?:^|\/)(?:\.{0,2}|\.berth-[0-9a-f]{16}\.tmp)(?:\/|$)/;

/** Whether an agent would write to it: relative, whole, without a way up. There may be 50,000 to look at. */
export function isTreePath(path: string): boolean {
  if (NO_NAME.test(path) || path.includes('\0') || !path.isWellFormed()) return false;
  if (path.length <= MAX_NAME_BYTES / MAX_BYTES_A_UNIT) return true;
  return (
    Buffer.byteLength(path) <= MAX_PATH_BYTES &&
    path.split('/').every((name) => Buffer.byteLength(name) <= MAX_NAME_BYTES)
  );
}

/** Whether a path would have to be a file and a folder of others at once. */
export function hasFileAsFolder(paths: Iterable<string>): boolean {
  for (const { above } of inOrder(paths)) if (above.length > 0) return true;
  return false;
}

/** Each path once, with those of the others that are above it. */
export function* inOrder(paths: Iterable<string>): Generator<{ path: string; above: string[] }> {
  /** What the path begins with: sorted, all that begins with a text follows it directly. */
  const beginnings: string[] = [];
  for (const path of [...paths].sort()) {
    while (!path.startsWith(beginnings.at(-1) ?? '')) beginnings.pop();
    yield { path, above: beginnings.filter(({ length }) => path[length] === '/') };
    beginnings.push(path);
  }
}
