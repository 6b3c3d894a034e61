/** Where it can be: a browser takes it from this very host alone, over TLS. */
export const SECURE_NAME = '__Host-berth_session';
export const PLAIN_NAME = 'berth_session';

/** Every value that a browser sent under our names. Another page of the same site may have added some. */
export function sessionCookies(header: string | undefined): string[] {
  if (header === undefined || !header.includes(PLAIN_NAME)) return [];
  return pairs(header)
    .filter(({ name }) => isOurs(name))
    .map(({ text, name }) => text.slice(text.indexOf(name) + name.length + 1).trim());
}

/** A `Cookie` header without ours; undefined where nothing is left. */
export function withoutSession(header: string): string | undefined {
  if (!header.includes(PLAIN_NAME)) return header;
  const others = pairs(header).filter(({ name }) => !isOurs(name));
  return others.length === 0 ? undefined : others.map(({ text }) => text.trim()).join('; ');
}

export function sessionCookie(
  value: string,
  of: { prefix: string; secure: boolean; seconds: number },
): string {
  // A prefix of a path is no `__Host-` cookie. Lax, not Strict: the first request after the link's redirect
  // counts as coming from where the link was clicked.
  const name = of.secure && of.prefix === '' ? SECURE_NAME : PLAIN_NAME;
  const secure = of.secure ? '; Secure' : '';
  return `${name}=${value}; Path=${of.prefix}/; Max-Age=${of.seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * What a container's `Set-Cookie` becomes: this workspace's alone, whatever it says. Undefined for one of our name,
 * and for one without a name, which can pass for any.
 */
export function containedCookie(header: string, prefix: string): string | undefined {
  const [pair = '', ...attributes] = header.split(';');
  const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
  if (name === '' || isOurs(name)) return undefined;
  const kept = attributes.flatMap((attribute) => {
    const [, key = '', value = ''] = /^\s*([^=]*?)\s*(?:=(.*))?$/s.exec(attribute) ?? [];
    if (key.toLowerCase() === 'domain') return [];
    if (key.toLowerCase() !== 'path' || prefix === '') return [attribute];
    const path = value.trim();
    if (!path.startsWith('/') || path === prefix || path.startsWith(`${prefix}/`)) return [attribute];
    return [` Path=${prefix}${path}`];
  });
  return [pair, ...kept].join(';');
}

function pairs(header: string): { name: string; text: string }[] {
  return header.split(';').map((text) => ({ text, name: (text.split('=', 1)[0] ?? '').trim() }));
}

/** Browsers look at the prefix without regard to case. */
function isOurs(name: string): boolean {
  return name === PLAIN_NAME || name.toLowerCase() === SECURE_NAME.toLowerCase();
}
