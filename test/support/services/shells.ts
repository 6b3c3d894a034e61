import { findOrInstall } from '../../../images/builder/apt.ts';
import { nothingToStop, type Service } from './service.ts';

export const zsh = shell('zsh', 'TEST_ZSH');
export const fish = shell('fish', 'TEST_FISH');

function shell(name: string, variable: string): Service {
  return {
    name,
    neededBy: `completion in ${name}`,
    remedy: `put ${name} on the path`,
    async start({ say }) {
      const found = await findOrInstall(name, [name], say);
      if ('problem' in found) return { missing: found.problem };
      return { env: { [variable]: found.path }, stop: nothingToStop };
    },
  };
}
