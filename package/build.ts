import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildPackage, packPackage } from './build-package.ts';

// `npm run package`: the package in dist/package, and its tarball in dist.

const dist = fileURLToPath(new URL('../dist', import.meta.url));
buildPackage(`${dist}/package`);
const tarball = packPackage(`${dist}/package`, dist);
console.log(`${tarball} (${(statSync(tarball).size / 1024 / 1024).toFixed(1)} MiB)`);
