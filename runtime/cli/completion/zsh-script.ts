import type { Completes } from '../command-spec.ts';
import { NOUNS } from '../command-table.ts';
import { completedCommands, firstWords, secondWords, valuedOptions, type Word } from './completion-words.ts';

/** For `source`, or as `_berth` in a folder of `fpath`. */
export function zshScript(): string {
  const valued = valuedOptions();
  return `#compdef berth
# berth completion for zsh: source <(berth completion zsh)

_berth_ids() {
  local -a ids
  ids=(\${(f)"$(berth completion ids "$1" 2>/dev/null </dev/null)"})
  if [[ -n $2 ]]; then compadd -S "$2" -- $ids; else compadd -- $ids; fi
}

_berth() {
  local command='' skip='' word
  local -i i count=0
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      ${valued.flatMap(({ names }) => names).join('|')}) skip=1 ;;
      -*) ;;
      *)
        case $command in
          '') command=$word ;;
          ${NOUNS.join('|')}) command="$command $word" ;;
          *) ((count += 1)) ;;
        esac ;;
    esac
  done
  if [[ -n $skip ]]; then
    case $words[CURRENT-1] in
${valued
  .filter(({ completes }) => completes !== undefined)
  .map(({ names, completes }) => `      ${names.join('|')}) ${offer(completes)} ;;\n`)
  .join('')}    esac
    return
  fi
  case $command in
    '') ${describe('command', firstWords())} ;;
${NOUNS.map((noun) => `    ${noun}) ${describe('command', secondWords(noun))} ;;\n`).join('')}${completedCommands()
  .map(
    ({ name, options, arguments: args, many }) => `    '${name}')
      if [[ $words[CURRENT] == -* ]]; then
        ${describe(
          'option',
          [
            ...options.map(([option, { says }]) => ({ word: `--${option}`, says })),
            { word: '--help', says: 'tells more' },
          ],
          '-o ',
        )}
        return
      fi
      case $count in
${args
  .map(
    (completes, index) =>
      `        ${many && index === args.length - 1 ? '*' : index}) ${offer(completes)} ;;\n`,
  )
  .join('')}      esac ;;
`,
  )
  .join('')}  esac
}

if [[ $funcstack[1] == _berth ]]; then _berth "$@"; else compdef _berth berth; fi
`;
}

function describe(what: string, words: readonly Word[], flags = ''): string {
  const listed = words.map(({ word, says }) => quoted(`${word.replaceAll(':', '\\:')}:${says}`)).join(' ');
  return `found=(${listed}); _describe ${flags}${what} found`;
}

function offer(completes: Completes | undefined): string {
  if (completes === undefined) return ':';
  if (typeof completes !== 'string') return `compadd -- ${completes.join(' ')}`;
  if (completes === 'file') return '_files';
  if (completes === 'copied') return "_berth_ids conversation ':'; _files";
  return `_berth_ids ${completes}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
