import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../command-spec.ts';

/** Opens a link in the browser of whoever sits here, if there is one. The link has been printed: failing is no harm. */
export async function openInBrowser(url: string, env: Environment): Promise<void> {
  const program = browser(env);
  if (program === undefined) return;
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' });
  child.unref();
  await Promise.race([once(child, 'spawn'), once(child, 'error')]).catch(() => undefined);
}

function browser({ BROWSER, DISPLAY, WAYLAND_DISPLAY }: Environment): string | undefined {
  if (BROWSER) return BROWSER;
  if (process.platform === 'darwin') return 'open';
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}
