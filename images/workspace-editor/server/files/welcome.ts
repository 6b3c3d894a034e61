import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WELCOME = `# Welcome

This is your workspace: what you keep here stays, also while it sleeps.

- **Files** on the left: create, rename (F2), delete (Del), drop files there to upload them.
- **Editor**: Ctrl+S saves, Ctrl+F finds.
- **Terminal** below: as many as you like; Ctrl+\` goes there and back. They go on when you reload the page.

Delete this file when you have read it.
`;

/** Greets whoever comes to an empty home. A home that can't be read or written is shown as it is. */
export function welcome(home: string): void {
  try {
    if (readdirSync(home).length === 0) writeFileSync(join(home, 'welcome.md'), WELCOME, { flag: 'wx' });
  } catch {
    // The tree tells it, where the user sees it.
  }
}
