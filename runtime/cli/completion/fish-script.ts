import type { Completes } from '../command-spec.ts';
import { NOUNS } from '../command-table.ts';
import { completedCommands, firstWords, secondWords, valuedOptions, type Word } from './completion-words.ts';

/** For a file in `~/.config/fish/completions`. */
export function fishScript(): string {
  return `# berth completion for fish: berth completion fish > ~/.config/fish/completions/berth.fish

function __berth_words
    set -l words (commandline -opc)
    set -e words[1]
    set -l skip 0
    for word in $words
        if test $skip -eq 1
            set skip 0
            continue
        end
        switch $word
            case ${valuedOptions()
              .flatMap(({ names }) => names)
              .join(' ')}
                set skip 1
            case '-*'
            case '*'
                echo $word
        end
    end
end

function __berth_is
    set -l words (__berth_words)
    test (count $words) -ge (count $argv); or return 1
    test (count $argv) -gt 0; or test (count $words) -eq 0; or return 1
    for i in (seq (count $argv))
        test "$words[$i]" = "$argv[$i]"; or return 1
    end
end

function __berth_only
    set -l words (__berth_words)
    test (count $words) -eq (count $argv); and __berth_is $argv
end

function __berth_ids
    berth completion ids $argv[1] 2>/dev/null </dev/null
end

complete -c berth -f
complete -c berth -s h -l help -d ${quoted('tells more, with examples')}
${lines('__berth_only', firstWords())}${NOUNS.map((noun) => lines(`__berth_only ${noun}`, secondWords(noun))).join('')}${completedCommands()
  .map(({ name, options, arguments: args }) => {
    const when = `-n ${quoted(`__berth_is ${name}`)}`;
    const each = options.map(([option, { short, value, says, completes }]) => {
      // -x: its value is no file.
      const takes = value === undefined ? '' : completes === 'file' ? ' -r' : ' -x';
      const forms = `${short === undefined ? '' : `-s ${short} `}-l ${option}${takes}`;
      return `complete -c berth ${when} ${forms}${offer(completes)} -d ${quoted(says)}\n`;
    });
    const offers = [...new Set(args.map(offer).filter((text) => text !== ''))];
    return [...each, ...offers.map((text) => `complete -c berth ${when}${text}\n`)].join('');
  })
  .join('')}`;
}

function lines(when: string, words: readonly Word[]): string {
  return words
    .map(({ word, says }) => `complete -c berth -n ${quoted(when)} -a ${word} -d ${quoted(says)}\n`)
    .join('');
}

function offer(completes: Completes | undefined): string {
  if (completes === undefined) return '';
  if (typeof completes !== 'string') return ` -a ${quoted(completes.join(' '))}`;
  if (completes === 'file') return ' -F';
  if (completes === 'copied')
    return ` -F -a ${quoted("(__berth_ids conversation | string replace -r '$' ':')")}`;
  return ` -a ${quoted(`(__berth_ids ${completes})`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
