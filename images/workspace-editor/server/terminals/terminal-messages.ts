import { parseObject } from '../http/parse-object.ts';
import type { TerminalSize } from './terminal.ts';

/** What a page says as text; what is typed comes as bytes. */
export type FromPage =
  | { readonly kind: 'resize'; readonly size: TerminalSize }
  | { readonly kind: 'drawn'; readonly bytes: number };

const MAX_SIDE = 1000;

/** undefined: nothing that this version knows. */
export function parseFromPage(text: string): FromPage | undefined {
  const message = parseObject(text);
  const { drawn } = message;
  if (typeof drawn === 'number' && Number.isSafeInteger(drawn) && drawn >= 0)
    return { kind: 'drawn', bytes: drawn };
  const size = asSize(message);
  return size && { kind: 'resize', size };
}

export function asSize({ rows, columns }: Record<string, unknown>): TerminalSize | undefined {
  return isSide(rows) && isSide(columns) ? { rows, columns } : undefined;
}

const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_SIDE;
