import { existsSync, readFileSync, rmSync } from 'node:fs';

/** Names a file; as long as it is there, the creation of the resource that it names fails, and the file goes. */
export const FAIL_ONCE = 'BERTH_TEST_FAIL_ONCE';

export function failOnce(urn: string): void {
  const file = process.env[FAIL_ONCE];
  if (file === undefined || !existsSync(file)) return;
  if (!urn.endsWith(readFileSync(file, 'utf8').trim())) return;
  rmSync(file);
  throw new Error('this creation was told to fail');
}
