import { cutTo, displayWidth } from './display-width.ts';
import { escaped } from './escape.ts';
import { type Style, styled } from './style.ts';

export interface Column {
  title: string;
  /** Numbers stand under each other at their right end. */
  right?: true;
  /** May be cut where the terminal is too narrow. */
  shrinks?: true;
}

export type Cell = string | { text: string; style: Style | undefined };

interface Place {
  /** Columns of the terminal; undefined: there is none, and nothing is cut. */
  columns: number | undefined;
  colours: boolean;
}

const GAP = 2;
const LEAST = 6;

/** A table with a head. Whatever is in its cells stays in its line. */
export function table(columns: readonly Column[], rows: readonly Cell[][], place: Place): string {
  const head = columns.map(({ title }): Cell => ({ text: title, style: 'dim' }));
  const lines = [head, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'string' ? { text: escaped(cell), style: undefined } : safe(cell))),
  );
  const wanted = columns.map((_, index) =>
    Math.max(...lines.map((row) => displayWidth(row[index]?.text ?? ''))),
  );
  const widths = fitted(columns, wanted, place.columns);
  return lines.map((row) => `${line(columns, row, widths, place.colours)}\n`).join('');
}

function safe({ text, style }: { text: string; style: Style | undefined }) {
  return { text: escaped(text), style };
}

function line(
  columns: readonly Column[],
  row: { text: string; style: Style | undefined }[],
  widths: number[],
  colours: boolean,
): string {
  const parts = columns.map(({ right }, index) => {
    const width = widths[index] ?? 0;
    const { text: whole = '', style } = row[index] ?? {};
    const text = cutTo(whole, width);
    const padding = ' '.repeat(Math.max(0, width - displayWidth(text)));
    const last = index === columns.length - 1;
    return right === true
      ? padding + styled(text, style, colours)
      : styled(text, style, colours) + (last ? '' : padding);
  });
  return parts.join(' '.repeat(GAP)).trimEnd();
}

/** The widest that may shrink gives way first. */
function fitted(columns: readonly Column[], wanted: number[], most: number | undefined): number[] {
  const widths = [...wanted];
  if (most === undefined) return widths;
  const total = () => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
  for (let over = total() - most; over > 0; over = total() - most) {
    const [widest] = columns
      .map(({ shrinks }, index) => ({ index, width: shrinks === true ? (widths[index] ?? 0) : 0 }))
      .sort((a, b) => b.width - a.width);
    if (widest === undefined || widest.width <= LEAST) return widths;
    widths[widest.index] = widest.width - 1;
  }
  return widths;
}
