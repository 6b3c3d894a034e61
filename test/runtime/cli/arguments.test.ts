import { describe, expect, it } from 'vitest';
import { nearest } from '../../../runtime/cli/arguments/nearest.ts';
import { parseArguments } from '../../../runtime/cli/arguments/parse-arguments.ts';
import { number, seconds, variables, wholeNumber } from '../../../runtime/cli/arguments/values.ts';
import { type CommandSpec, UsageError } from '../../../runtime/cli/command-spec.ts';

const spec: CommandSpec = {
  group: 'Shell',
  says: 'does',
  arguments: { place: {}, rest: { optional: true, many: true } },
  options: {
    json: { says: 'on or off', short: 'j' },
    recursive: { says: 'on or off', short: 'r' },
    timeout: { says: 'a value', value: 'time', short: 't' },
    env: { says: 'many values', value: 'NAME=value', short: 'e', repeated: true },
  },
  examples: [],
};
const passing: CommandSpec = {
  ...spec,
  arguments: { conversation: {}, command: { many: true } },
  passesOn: true,
};
const parse = (args: string[], of = spec) => parseArguments('do', of, args);

describe('the arguments of a command', () => {
  it('are words and options in any order', () => {
    expect(parse(['a', '--timeout', '5', 'b', '-j', '--env=A=1', '-e', 'B=2', '-eC=3', 'c'])).toEqual({
      help: false,
      arguments: { place: 'a', rest: ['b', 'c'] },
      options: { json: true, recursive: false, timeout: '5', env: ['A=1', 'B=2', 'C=3'] },
    });
  });

  it('take short options together, and - as a word', () => {
    const { options, arguments: words } = parse(['-jrt5', '-']);
    expect(options).toMatchObject({ json: true, recursive: true, timeout: '5' });
    expect(words).toEqual({ place: '-', rest: [] });
  });

  it('take a value as it is, whatever it looks like, and everything after -- as words', () => {
    expect(parse(['--timeout', '--json', '--', '--json', '-x'])).toMatchObject({
      arguments: { place: '--json', rest: ['-x'] },
      options: { json: false, timeout: '--json' },
    });
  });

  it.each([
    [
      ['c', 'ls', '-la', '--json', '--help', '--', 'x'],
      ['ls', '-la', '--json', '--help', '--', 'x'],
    ],
    [
      ['c', '--', 'ls', '--', '-l'],
      ['ls', '--', '-l'],
    ],
    [
      ['--timeout', '5', 'c', '-j', 'ls', '-j'],
      ['ls', '-j'],
    ],
  ])('leave to another program what is its own: %j', (args, command) => {
    expect(parse(args, passing).arguments).toEqual({ conversation: 'c', command });
    expect(parse(args, passing).help).toBe(false);
  });

  it('with --help anywhere want nothing else', () => {
    expect(parse(['--help']).help).toBe(true);
    expect(parse(['a', '-h']).help).toBe(true);
    expect(parse(['c', '--help'], passing).help).toBe(true);
  });

  it.each([
    [['a', '--jsn'], 'there is no option "--jsn"; did you mean --json?'],
    [['a', '--zzzzzz'], 'there is no option "--zzzzzz"; --help lists them'],
    [['a', '-x'], 'there is no option "-x"; --help lists them'],
    [['a', '--json=1'], '--json takes no value'],
    [['a', '--timeout'], '--timeout wants a value: --timeout <time>'],
    [['a', '--\u001b[31m\n'], 'there is no option "--\\x1b[31m\\n"; --help lists them'],
    [[], '<place> is missing; usage: berth do [options] <place> [rest] …'],
  ])('%j is refused in one line that says what and how', (args, message) => {
    expect(() => parse(args)).toThrow(new UsageError(message));
  });

  it('that are too many are refused', () => {
    const one = { ...spec, arguments: { place: {} } };
    expect(() => parse(['a', 'b'], one)).toThrow('"b" is one too many; usage: berth do [options] <place>');
    expect(() => parse(['c'], passing)).toThrow('<command> is missing');
  });
});

describe('values', () => {
  it.each([
    ['90', 90],
    ['90s', 90],
    ['1.5m', 90],
    ['2h', 7200],
    ['1d', 86_400],
  ])('%s is a time', (text, value) => {
    expect(seconds('timeout', text)).toBe(value);
  });

  it.each(['', '0', '-1', '5x', 'm', '1e3', ' 5', 'Infinity'])('%j is none', (text) => {
    expect(() => seconds('timeout', text)).toThrow('--timeout wants a time like 90, 90s, 5m or 1h');
  });

  it('are numbers where numbers are wanted', () => {
    expect([wholeNumber('min', '12'), number('cpus', '0.5'), wholeNumber('min', undefined)]).toEqual([
      12,
      0.5,
      undefined,
    ]);
    for (const text of ['', '1.5', '-1', 'x', '9'.repeat(12)])
      expect(() => wholeNumber('min', text)).toThrow('--min wants a whole number');
    expect(() => number('cpus', '1,5')).toThrow('--cpus wants a number');
  });

  it('are variables, of here where only a name is given; what is none is not repeated', () => {
    expect(variables(['A=1=2', 'B=', 'C=x\ny', 'HERE'], { HERE: 'h' })).toEqual({
      A: '1=2',
      B: '',
      C: 'x\ny',
      HERE: 'h',
    });
    expect(variables([], {})).toBeUndefined();
    expect(() => variables(['berth_secret-key'], {})).toThrow(/^--env wants NAME=value, or NAME$/);
    expect(() => variables(['GONE'], {})).toThrow('--env GONE: there is no such variable here');
  });
});

describe('what was meant', () => {
  it.each([
    ['exce', 'exec'],
    ['--tiemout', '--timeout'],
    ['worksapce', 'workspace'],
    ['dance', undefined],
    ['x'.repeat(5000), undefined],
  ])('by %s', (typed, meant) => {
    expect(nearest(typed, ['exec', 'workspace', '--timeout', 'ps'])).toBe(meant);
  });
});
