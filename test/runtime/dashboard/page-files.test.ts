import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readPageFiles } from '../../../runtime/dashboard/page-files.ts';

it('has every file that the page names, below an address that changes with them', async () => {
  const { index, version, files } = readPageFiles();
  const html = index.content.toString();
  const named = [...html.matchAll(/(?:src|href)="\/dashboard\/([^"]*)"/g)].map(([, path]) => path);
  expect(named.length).toBeGreaterThan(20);
  for (const path of named) expect(files.has(`${path}`.replace(`${version}/`, '')), path).toBe(true);
  expect(named.every((path) => path?.startsWith(`${version}/`))).toBe(true);
  expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
});

it('imports nothing that is not there, and the terminal only when it is opened', () => {
  const { index, files } = readPageFiles();
  const missing = [...files].flatMap(([name, { content }]) =>
    name.startsWith('vendor/')
      ? []
      : [...content.toString().matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)]
          .map(([, path]) => new URL(`${path}`, `http://page/${name}`).pathname.slice(1))
          .filter((path) => !files.has(path) && path !== 'api-types.js' && !path.endsWith('calls.js')),
  );
  expect(missing).toEqual([]);
  expect(index.content.toString()).not.toMatch(/vendor|terminal\//);
});

it('compresses, and its scripts stay under 200 kB', async () => {
  const { files } = readPageFiles();
  const scripts = [...files].filter(([name]) => /\.m?js$/.test(name));
  let bytes = 0;
  for (const [, file] of scripts) {
    const zipped = await file.as('gzip');
    expect(gunzipSync(zipped).equals(file.content)).toBe(true);
    bytes += (await file.as('br')).length;
  }
  expect(bytes).toBeLessThan(200_000);
});
