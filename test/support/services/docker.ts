import { findOrInstall } from '../../../images/builder/apt.ts';
import { cacheFolder } from '../../../images/builder/cache-folder.ts';
import { engineAnswers } from '../../../images/builder/engine.ts';
import { PrivateEngine } from './private-engine.ts';
import { nothingToStop, type Service } from './service.ts';

export const docker: Service = {
  name: 'docker',
  neededBy: 'everything that runs containers',
  remedy:
    'start a Docker engine and name it in DOCKER_HOST, or run as root on Debian: there one is installed and started for the tests alone',
  async start({ env, say }) {
    const candidates = [env.TEST_DOCKER_HOST, env.DOCKER_HOST, 'unix:///var/run/docker.sock'];
    for (const host of candidates) {
      if (!host) continue;
      if (await engineAnswers(host)) return { env: { TEST_DOCKER_HOST: host }, stop: nothingToStop };
      if (host === env.DOCKER_HOST) say(`no engine answers at DOCKER_HOST (${host})`);
    }
    if (process.platform !== 'linux' || process.getuid?.() !== 0) {
      return { missing: 'no Docker engine answers' };
    }
    const dockerd = await findOrInstall('dockerd', ['docker.io', 'iptables'], say);
    if ('problem' in dockerd) return { missing: dockerd.problem };
    const ip = await findOrInstall('ip', ['iproute2'], say);
    if ('problem' in ip) return { missing: ip.problem };
    // The folder is the machine's, the images the user's.
    const place = { folder: '/run/berth-engine', dataRoot: cacheFolder('docker') };
    const engine = new PrivateEngine({ dockerd: dockerd.path, ...place });
    const leave = await engine.join();
    return {
      env: { TEST_DOCKER_HOST: engine.host, TEST_DOCKERD: dockerd.path },
      stop: leave,
    };
  },
};
