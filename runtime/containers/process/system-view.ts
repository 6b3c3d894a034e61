import { lstat, readlink } from 'node:fs/promises';

/** What a sandbox sees of the machine: programs, libraries and their settings. Nothing that is not named is there. */
const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/nix/store'];

export interface SystemView {
  /** Bound read-only, or made as the link that it is. */
  shown: { path: string; link?: string }[];
  /** Folders below what is shown that must not be. */
  hidden: string[];
}

export async function systemView(secret: readonly string[]): Promise<SystemView> {
  const shown = (await Promise.all(PROGRAMS.map(asShown))).flat();
  const hidden = secret.filter((path) =>
    shown.some((each) => each.link === undefined && path.startsWith(`${each.path}/`)),
  );
  return { shown, hidden };
}

async function asShown(path: string): Promise<SystemView['shown']> {
  const found = await lstat(path).catch(() => undefined); // not on this machine
  if (found === undefined) return [];
  return [found.isSymbolicLink() ? { path, link: await readlink(path) } : { path }];
}
