import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What may come together before it is looked for. */
const LEFT_BYTES = 8 * 1024 * 1024;

let left = 0;
let collect: (options: { type: 'minor' }) => void = () => {
  // V8 has no other way to be asked; the function is part of contexts that are made from now on.
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc');
};

/**
 * So many bytes have passed, and left buffers that nobody has any more. They are not on V8's heap, so it lets some 70 MB
 * of them come together before it looks. A look at the youngest alone finds nearly all of them.
 */
export function hasPassed(bytes: number): void {
  left += bytes;
  if (left < LEFT_BYTES) return;
  left = 0;
  collect({ type: 'minor' });
}
