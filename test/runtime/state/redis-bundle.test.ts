import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../../../images/builder/bundle.ts';
import { describeWith, redis } from '../../support/services/provided.ts';

const source = fileURLToPath(new URL('../../../runtime/state/redis/', import.meta.url));

describeWith('redis', 'the state in a bundle', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-bundle-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds its scripts where the bundler puts the files that are read', async () => {
    writeFileSync(
      join(folder, 'entry.ts'),
      `import { openRedisState } from ${JSON.stringify(join(source, 'open-redis-state.ts'))};
       const state = openRedisState({ url: process.argv[2] ?? '', maxLifetimeSeconds: 1 });
       console.log(await state.conversations.now());
       await state.close();`,
    );
    const dist = join(folder, 'dist');
    await bundle({ entry: join(folder, 'entry.ts'), name: 'main.mjs', folder: dist, readsFrom: [source] });

    const { stdout } = await promisify(execFile)(process.execPath, [join(dist, 'main.mjs'), redis().url]);

    expect(Number(stdout)).toBeGreaterThan(1_700_000_000_000);
  });
});
