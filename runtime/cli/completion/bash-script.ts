import type { Completes } from '../command-spec.ts';
import { NOUNS } from '../command-table.ts';
import { completedCommands, firstWords, secondWords, valuedOptions } from './completion-words.ts';

/** For `source`. No word of it comes from anywhere but the table of commands. */
export function bashScript(): string {
  const valued = valuedOptions();
  return `# berth completion for bash: source <(berth completion bash)

_berth_words() {
  local word
  for word in "$@"; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done
}

_berth_files() {
  compopt -o filenames 2>/dev/null
  local file
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$cur")
}

_berth_ids() {
  local id
  while IFS= read -r id; do
    if [[ $id == "$cur"* ]]; then COMPREPLY+=("$id$2"); fi
  done < <(berth completion ids "$1" 2>/dev/null </dev/null)
}

_berth() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local command= skip= word i count=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $skip ]]; then skip=; continue; fi
    case $word in
      ${valued.flatMap(({ names }) => names).join('|')}) skip=1 ;;
      -*) ;;
      *)
        case $command in
          '') command=$word ;;
          ${NOUNS.join('|')}) command="$command $word" ;;
          *) ((count++)) ;;
        esac ;;
    esac
  done
  if [[ $skip ]]; then
    case $prev in
${valued
  .filter(({ completes }) => completes !== undefined)
  .map(({ names, completes }) => `      ${names.join('|')}) ${offer(completes)} ;;\n`)
  .join('')}    esac
    return
  fi
  case $command in
    '') _berth_words ${[...firstWords().map(({ word }) => word), '--help', '--version'].join(' ')} ;;
${NOUNS.map(
  (noun) =>
    `    ${noun}) _berth_words ${secondWords(noun)
      .map(({ word }) => word)
      .join(' ')} --help ;;\n`,
).join('')}${completedCommands()
  .map(
    ({ name, options, arguments: args, many }) => `    '${name}')
      if [[ $cur == -* ]]; then _berth_words ${[...options.map(([option]) => `--${option}`), '--help'].join(' ')}; return; fi
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

complete -F _berth berth
`;
}

function offer(completes: Completes | undefined): string {
  if (completes === undefined) return ':';
  if (typeof completes !== 'string') return `_berth_words ${completes.join(' ')}`;
  if (completes === 'file') return '_berth_files';
  if (completes === 'copied')
    return 'compopt -o nospace 2>/dev/null; _berth_files; _berth_ids conversation :';
  return `_berth_ids ${completes}`;
}
