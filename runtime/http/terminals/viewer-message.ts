import { z } from 'zod';

const MAX_CHARACTERS = 1024;
const side = z.int().min(1).max(1000);
const resize = z.object({ type: z.literal('resize'), cols: side, rows: side });
const other = z.object({ type: z.string() });

/** What a viewer says as text; `wrong` is what it is told. A kind that this version does not know is passed over. */
export function parseViewerMessage(
  text: string,
): { cols: number; rows: number } | { wrong: string } | undefined {
  const value = text.length > MAX_CHARACTERS ? undefined : parse(text);
  const known = resize.safeParse(value);
  if (known.success) return known.data;
  const named = other.safeParse(value);
  if (!named.success) return { wrong: 'a text frame is a JSON object with a type' };
  return named.data.type === 'resize'
    ? { wrong: 'cols and rows are whole numbers from 1 to 1000' }
    : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
