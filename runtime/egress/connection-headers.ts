const NAMES = new Set([
  'connection',
  'expect',
  'forwarded',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Whether a header, by its name in lower case, is between two neighbours, or says where a request came from. */
export function isConnectionHeader(name: string): boolean {
  return NAMES.has(name) || name.startsWith('proxy-') || name.startsWith('x-forwarded-');
}
