import { connectEngine } from '../../../images/builder/engine.ts';
import { inVolume } from '../../support/home-tree.ts';
import type { BenchSetting } from '../bench-setting.ts';

export const HOME_BYTES = 1024 ** 3;

/** 128 files of random bytes, and 8,192 of words. */
const FILL = String.raw`
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { randomBytes, randomInt } from 'node:crypto';
const [, home] = process.argv;
const MiB = 1024 * 1024;
mkdirSync(home + '/random');
for (let at = 0; at < 128; at += 1) writeFileSync(home + '/random/' + at, randomBytes(4 * MiB));
const words = Array.from({ length: 4096 }, () => randomBytes(randomInt(2, 7)).toString('hex'));
const seed = new Uint16Array(randomBytes(64 * 1024).buffer, 0, 32 * 1024);
for (let at = 0; at < 8192; at += 1) {
  if (at % 128 === 0) mkdirSync(home + '/text-' + at / 128);
  let text = '';
  for (let word = at; text.length < 64 * 1024; word += 1) text += words[seed[(word * 7) % seed.length] % 4096] + (word % 12 === 0 ? '\n' : ' ');
  writeFileSync(home + '/text-' + Math.floor(at / 128) + '/' + at, text.slice(0, 64 * 1024));
}
`;

/** Fills the home of a workspace with 1 GiB. */
export async function fillHome({ dockerHost, image }: BenchSetting, workspace: string): Promise<void> {
  await inVolume(connectEngine(dockerHost), image, `ws-${workspace}-home`)(FILL);
}
