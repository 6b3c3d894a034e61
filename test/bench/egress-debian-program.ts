import { findOrInstall } from '../../images/builder/apt.ts';

/** The path of a program of Debian's, installed where that is possible. Throws an error that says what is missing. */
export async function debianProgram(
  program: string,
  inPackage: string,
  say: (line: string) => void,
): Promise<string> {
  const found = await findOrInstall(program, [inPackage], say);
  if ('path' in found) return found.path;
  throw new Error(`This is measured against ${program}, which is missing: ${found.problem}.`);
}
