import { readFileSync } from 'node:fs';
import { CERTIFICATE } from './certificate.ts';

/** By key: what a stack of stacks/ sets, with what only its owner has. */
export function stackSettings(stack: string): Record<string, string> {
  const file = new URL(`../../../stacks/Pulumi.${stack}.yaml`, import.meta.url);
  const rows = [...readFileSync(file, 'utf8').matchAll(/^ {2}(\w+:\w+): (.+)$/gm)];
  const settings = Object.fromEntries(rows.map(([, key = '', value = '']) => [key, value]));
  return settings['berth:platform'] === 'ecs'
    ? { ...settings, 'berth:certificateArn': CERTIFICATE }
    : settings;
}
