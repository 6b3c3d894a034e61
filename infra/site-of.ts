/** Below these, before the two letters of a country, names are given to their owners, as below `co.uk`. */
const SHARED = new Set([
  ...['ac', 'co', 'com', 'edu', 'go', 'gob', 'gov', 'ltd'],
  ...['mil', 'ne', 'net', 'nom', 'or', 'org', 'plc'],
]);

/** The part of a host's name that one owner has, as far as the name tells: browsers know a longer list. */
export function siteOf(host: string): string {
  const labels = host.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && SHARED.has(second) ? -3 : -2).join('.');
}
