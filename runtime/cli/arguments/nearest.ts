/** The one of these that a mistyped word most likely means, if any is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, distance: distance(typed, name) }))
    .sort((a, b) => a.distance - b.distance);
  const most = Math.min(3, Math.ceil(typed.replace(/^-+/, '').length / 3));
  return best !== undefined && best.distance <= most ? best.name : undefined;
}

/** How many letters to add, drop, change or swap with their neighbour. */
function distance(from: string, to: string): number {
  if (from.length > 64) return from.length;
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= from.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
