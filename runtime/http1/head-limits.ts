/** The head of a request or an answer may have so many bytes, and so many header lines. */
export const MOST_HEAD_BYTES = 16 * 1024;
export const MOST_HEADERS = 128;
