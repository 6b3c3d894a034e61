import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findOrInstall } from '../../../images/builder/apt.ts';
import { nothingToStop, type Service } from './service.ts';

export const bubblewrap: Service = {
  name: 'bubblewrap',
  neededBy: "the process backend's isolation",
  remedy: 'put bwrap (bubblewrap) on the path, and allow user namespaces or run as root',
  async start({ say }) {
    const found = await findOrInstall('bwrap', ['bubblewrap'], say);
    if ('problem' in found) return { missing: found.problem };
    try {
      await promisify(execFile)(found.path, ['--ro-bind', '/', '/', '--unshare-all', 'true']);
    } catch (error) {
      return { missing: `bwrap can't make a sandbox here: ${`${error}`.trim().split('\n').at(-1)}` };
    }
    return { env: { TEST_BWRAP: found.path }, stop: nothingToStop };
  },
};
