import { invalidParameter } from './aws-error.ts';

/** A page of a list that may change between calls: the token names the last item that was given. */
export function page<T extends string>(
  all: readonly T[],
  most: number,
  token: string | undefined,
): { items: T[]; next: string | undefined } {
  let from = 0;
  if (token !== undefined) {
    const after = Buffer.from(token, 'base64url').toString();
    const [index, item] = /^(\d+) (.+)$/.exec(after)?.slice(1) ?? [];
    if (index === undefined || item === undefined) throw invalidParameter('Invalid token.');
    const place = all.indexOf(item as T); // compared only
    from = place >= 0 ? place + 1 : Math.min(Number(index), all.length);
  }
  const items = all.slice(from, from + most);
  const last = items.at(-1);
  const isMore = from + items.length < all.length && last !== undefined;
  const next = isMore ? Buffer.from(`${from + items.length} ${last}`).toString('base64url') : undefined;
  return { items, next };
}
