import { connectEngine } from '../../../images/builder/engine.ts';
import { inVolume } from '../../support/home-tree.ts';
import type { BenchSetting } from '../bench-setting.ts';

export const HOME_BYTES = 1024 ** 3;

/** 128 files of random bytes, and 8,192 of words: what they have in common is further apart than zstd looks. */
const FILL = String.raw`
import { mkdirSync, writeFileSync } from 'node:fs';
import { randomBytes, randomInt } from 'node:crypto';
const [, home] = process.argv;
const [KiB, MiB] = [1024, 1024 * 1024];
mkdirSync(home + '/random');
for (let at = 0; at < 128; at += 1) writeFileSync(home + '/random/' + at, randomBytes(4 * MiB));
const words = Array.from({ length: 4096 }, () => randomBytes(randomInt(2, 7)).toString('hex'));
const text = Buffer.alloc(16 * MiB, ' ');
for (let at = 0, word = 0; at < text.length; word += 1) {
  at += text.write(words[Math.floor(Math.random() ** 2 * 4096)] + (word % 12 === 0 ? '\n' : ' '), at);
}
for (let at = 0; at < 8192; at += 1) {
  const folder = home + '/text-' + Math.floor(at / 128);
  if (at % 128 === 0) mkdirSync(folder);
  const from = (at * 64 * KiB) % text.length;
  writeFileSync(folder + '/' + at, text.subarray(from, from + 64 * KiB));
}
`;

/** Fills the home of a workspace with 1 GiB. */
export async function fillHome({ dockerHost, image }: BenchSetting, workspace: string): Promise<void> {
  await inVolume(connectEngine(dockerHost), image, `ws-${workspace}-home`)(FILL);
}
