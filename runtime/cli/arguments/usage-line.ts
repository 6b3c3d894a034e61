import type { CommandSpec } from '../command-spec.ts';

/** `berth exec [options] <conversation> [--] <command> …` */
export function usageLine(name: string, spec: CommandSpec): string {
  const names = Object.keys(spec.arguments);
  const words = Object.entries(spec.arguments).map(([argument, { optional, many }]) => {
    const word = `${optional === true ? `[${argument}]` : `<${argument}>`}${many === true ? ' …' : ''}`;
    return spec.passesOn === true && argument === names.at(-1) ? `[--] ${word}` : word;
  });
  return ['berth', name, '[options]', ...words].join(' ');
}
