import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../runtime/cli/arguments/parse-arguments.ts';
import { usageLine } from '../../../runtime/cli/arguments/usage-line.ts';
import type { CommandSpec, Option } from '../../../runtime/cli/command-spec.ts';
import { COMMAND_NAMES, COMMANDS, NOUNS } from '../../../runtime/cli/command-table.ts';
import { bashScript } from '../../../runtime/cli/completion/bash-script.ts';
import { fishScript } from '../../../runtime/cli/completion/fish-script.ts';
import { zshScript } from '../../../runtime/cli/completion/zsh-script.ts';
import { commandHelp, overview } from '../../../runtime/cli/help/help-texts.ts';
import { loadCommand } from '../../../runtime/cli/load-command.ts';
import { berth } from '../../support/berth-command.ts';

const all = COMMAND_NAMES.map((name): [string, CommandSpec] => [name, COMMANDS[name]]);

describe.each(all)('berth %s', (name, spec) => {
  const help = commandHelp(name, spec, false);

  it('has a help with its usage, every option and examples, in lines that fit', () => {
    expect(help).toContain(`berth ${name}: ${spec.says}`);
    expect(help).toContain(usageLine(name, spec));
    for (const [option, { short }] of Object.entries(spec.options)) {
      expect(help).toMatch(new RegExp(`^ +(-${short ?? 'never'}, |    )?--${option}\\b`, 'm'));
    }
    expect(spec.examples.length).toBeGreaterThan(0);
    for (const [line] of spec.examples) expect(help).toContain(line);
    for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(130);
    expect(help).not.toContain('\u001b');
    expect(commandHelp(name, spec, true)).toContain('\u001b[1m');
  });

  it('has examples that it takes', () => {
    for (const [line] of spec.examples) {
      const own = line.slice(line.indexOf('berth ')).split(/ [|<>] |\)$/)[0] ?? '';
      const words = [...own.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word);
      const typed = words.slice(1 + name.split(' ').length);
      expect(() => parseArguments(name, spec, typed), line).not.toThrow();
    }
  });

  it('is there to be loaded', async () => {
    const known = COMMAND_NAMES.find((each) => each === name) ?? 'start';
    expect(await loadCommand(known)).toBeTypeOf('function');
  });

  it('takes any number of words only at its end', () => {
    const many = Object.values(spec.arguments).map((argument) => argument.many === true);
    expect(many.slice(0, -1)).not.toContain(true);
  });
});

describe('the table of commands', () => {
  it('gives an option the same meaning everywhere, so that completion needs to know no more than its name', () => {
    const seen = new Map<string, Option>();
    const forms = all.flatMap(([, { options }]) =>
      Object.entries(options).flatMap(([name, option]) => [
        [`--${name}`, option] as const,
        ...(option.short === undefined ? [] : [[`-${option.short}`, option] as const]),
      ]),
    );
    for (const [form, option] of forms) {
      const before = seen.get(form) ?? option;
      expect(option.value === undefined, form).toBe(before.value === undefined);
      seen.set(form, option);
    }
  });

  it('is listed by help, all of it', async () => {
    const text = overview('Berth', all, false);
    for (const [name, { says }] of all)
      expect(text).toMatch(new RegExp(`berth ${name} +${says.slice(0, 20)}`));
    const asked = await berth(['--help']);
    for (const [name] of all) expect(asked.stdout).toContain(`berth ${name} `);
  });

  it.each(NOUNS)('berth %s lists what it has', async (noun) => {
    const { code, stdout } = await berth([noun, '--help']);
    expect(code).toBe(0);
    for (const [name] of all) expect(stdout.includes(`berth ${name} `)).toBe(name.startsWith(`${noun} `));
  });
});

describe.each([
  ['bash', bashScript()],
  ['zsh', zshScript()],
  ['fish', fishScript()],
])('the completion for %s', (shell, script) => {
  it('knows every command and every option of each', () => {
    for (const [name, spec] of all) {
      for (const word of name.split(' ')) expect(script).toContain(word);
      for (const option of Object.keys(spec.options))
        expect(script).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
    }
    for (const kind of ['conversation', 'workspace', 'function', 'container'])
      expect(script).toContain(`_ids ${kind}`);
  });

  it('has its quotes and blocks in pairs', () => {
    const withoutEscapes = script.replace(/'\\''|\\'|\\\\/g, '').replace(/^#.*$/gm, '');
    for (const line of withoutEscapes.split('\n')) expect(line.split("'").length % 2, line).toBe(1);
    if (shell === 'fish') {
      const opened = script.match(/^ *(function|for|if|while|switch|begin)\b/gm) ?? [];
      expect(script.match(/^ *end$/gm)).toHaveLength(opened.length);
      return;
    }
    expect(script.match(/\bcase /g)).toHaveLength(script.match(/\besac\b/g)?.length ?? 0);
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: script });
  });
});
