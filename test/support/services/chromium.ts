import { findOrInstall } from '../../../images/builder/apt.ts';
import { nothingToStop, type Service } from './service.ts';

export const chromium: Service = {
  name: 'chromium',
  neededBy: "the editor's page and the client in a browser",
  remedy: 'put chromium on the path',
  async start({ say }) {
    // Without a font of its own a page has no letters.
    const found = await findOrInstall('chromium', ['chromium', 'fonts-dejavu-core'], say);
    if ('problem' in found) return { missing: found.problem };
    return { env: { TEST_CHROMIUM: found.path }, stop: nothingToStop };
  },
};
