import { usageLine } from '../arguments/usage-line.ts';
import type { CommandSpec } from '../command-spec.ts';
import { styled } from '../terminal/style.ts';

const WIDTH = 110;

/** Of one command: what it is for, all that it takes, and examples. */
export function commandHelp(name: string, spec: CommandSpec, colours: boolean): string {
  const options: [string, string][] = Object.entries(spec.options).map(([option, { short, value, says }]) => [
    `${short === undefined ? '    ' : `-${short}, `}--${option}${value === undefined ? '' : ` <${value}>`}`,
    says,
  ]);
  options.push(['-h, --help', 'this']);
  return [
    `berth ${name}: ${spec.says}\n`,
    `${section('Usage', colours)}  ${usageLine(name, spec)}\n`,
    ...(spec.notes === undefined ? [] : [`${spec.notes}\n`]),
    section('Options', colours) + list(options),
    section(spec.examples.length === 1 ? 'Example' : 'Examples', colours) +
      spec.examples.map(([line, says]) => `  ${styled(line, 'bold', colours)}\n      ${says}\n`).join(''),
  ].join('\n');
}

/** Of all commands, or of those that begin with a noun. */
export function overview(
  title: string,
  commands: readonly (readonly [name: string, spec: CommandSpec])[],
  colours: boolean,
): string {
  const width = Math.max(...commands.map(([name]) => name.length));
  const groups = Map.groupBy(commands, ([, { group }]) => group);
  const listed = [...groups].map(
    ([group, members]) =>
      section(group, colours) +
      list(members.map(([name, { says }]) => [`berth ${name.padEnd(width)}`, says])),
  );
  return `${title}\n\n${listed.join('\n')}\n${footer(colours)}`;
}

function footer(colours: boolean): string {
  return `${section('Everywhere', colours)}${list([
    ['berth <command> --help', 'tells more, with examples'],
    ['berth --version', ''],
  ])}
The service is at --url, else BERTH_URL, else http://127.0.0.1:7420. The key is that of --key-file, else BERTH_API_KEY,
else the development key of a service that was started in this folder.
Exit codes: 0 done, 1 refused or failed, 2 not understood, 130 after Ctrl-C; run and exec end as their program does.
`;
}

function section(title: string, colours: boolean): string {
  return `${styled(title, 'bold', colours)}\n`;
}

/** Two columns; what is too long for its line goes on in the next. */
function list(entries: readonly (readonly [string, string])[]): string {
  const width = Math.min(34, Math.max(...entries.map(([left]) => left.length)));
  return entries
    .map(([left, right]) => {
      const lines = wrapped(right, WIDTH - width - 4);
      const first = left.length > width ? `  ${left}\n  ${' '.repeat(width)}` : `  ${left.padEnd(width)}`;
      return `${first}  ${lines.join(`\n${' '.repeat(width + 4)}`)}`.trimEnd();
    })
    .map((text) => `${text}\n`)
    .join('');
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
