import { writeFileSync } from 'node:fs';
import { referencePages } from './reference-pages.ts';

for (const [name, content] of Object.entries(await referencePages())) {
  writeFileSync(new URL(`reference/${name}`, import.meta.url), content);
  console.log(`docs/reference/${name}`);
}
