import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildPackage, packPackage } from './build-package.ts';
import { buildClient } from './client/build-client.ts';

// `npm run package`: the platform's package in dist/package, the client's in dist/client, and their tarballs in dist.

const dist = fileURLToPath(new URL('../dist', import.meta.url));
buildPackage(`${dist}/package`);
buildClient(`${dist}/client`);
for (const folder of ['package', 'client']) {
  const tarball = packPackage(`${dist}/${folder}`, dist);
  console.log(`${tarball} (${(statSync(tarball).size / 1024 / 1024).toFixed(2)} MiB)`);
}
