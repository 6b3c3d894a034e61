import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { homeVolume, parseWorkspaceId } from '../../runtime/contracts/ids.ts';
import { ecsVolumes } from '../contract/volume-backend/ecs-volumes.ts';
import { volumeBackendContract } from '../contract/volume-backend/volume-backend.contract.ts';
import { archiveOf, OURS, signal } from '../contract/volume-backend/volumes-under-test.ts';
import { describeTree } from '../support/home-tree.ts';
import { must } from '../support/must.ts';
import { describeWith } from '../support/services/provided.ts';

// Most tests start a dozen tasks, one after the other.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeWith(
  ['docker', 'workspace-base-image', 'proxy-sidecar-image', 'workspace-editor-image'],
  'the volumes of the ecs backend',
  () => {
    volumeBackendContract(ecsVolumes);

    describe('what its own user may not read', () => {
      it('is archived, and comes back readable for them alone', async () => {
        const under = await ecsVolumes();
        const volumes = under.open(OURS);
        const name = homeVolume(must(parseWorkspaceId('unreadable')));
        await volumes.provision(name);
        const make = `import * as fs from 'node:fs'; process.chdir(process.argv[1]);
          fs.mkdirSync('closed'); fs.writeFileSync('closed/file', 'kept'); fs.chmodSync('closed/file', 0); fs.chmodSync('closed', 0);`;
        await under.inside(name)(make);
        const { content, entries } = await volumes.archive(name, signal());
        const archive = archiveOf(await buffer(content));
        expect(entries()).toBe(3);
        await volumes.restore(name, Readable.from([archive.bytes]), archive.name, signal());
        const tree = await describeTree(under.inside(name));
        expect(tree.slice(1)).toEqual([
          expect.stringMatching(/^"closed" 40500 1000:1000 /),
          expect.stringMatching(/^"closed\/file" 100400 1000:1000 .* 4 bytes /),
        ]);
        await under.close();
      });
    });
  },
);
