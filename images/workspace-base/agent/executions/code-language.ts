import { Problem } from '../problem.ts';

/** How a language's interpreter is started with the script on its stdin. */
interface Interpreter {
  program: string;
  args: string[];
}

// Python and Node read a script from stdin to its end before they run it, so the script itself finds stdin empty,
// and imports relative to where it runs. Bash would read on between commands and lose the script to the first that
// reads stdin; it gets the script by another descriptor.
const PYTHON: Interpreter = { program: 'python3', args: ['-u', '-'] };
const NODE: Interpreter = { program: 'node', args: ['-'] };
const BASH: Interpreter = { program: 'bash', args: ['-c', 'exec bash /dev/fd/3 3<&0 </dev/null'] };

const INTERPRETERS = new Map([
  ['python', PYTHON],
  ['python3', PYTHON],
  ['bash', BASH],
  ['sh', BASH],
  ['node', NODE],
]);

const MODEL = 'code/';

/** The interpreter that `model: "code/<language>"` names, else the script's `#!` line, else Python. */
export function chooseInterpreter(script: string, model: string | undefined): Interpreter {
  const language = model?.startsWith(MODEL) ? model.slice(MODEL.length) : shebangProgram(script);
  const interpreter = INTERPRETERS.get(language ?? 'python');
  if (interpreter) return interpreter;
  throw new Problem('INVALID_REQUEST', `a script is python, bash or node, not ${language}`);
}

/** `python3` of `#!/usr/bin/python3` and of `#!/usr/bin/env -S X=1 python3 -u`. */
function shebangProgram(script: string): string | undefined {
  const line = /^#!(.*)/.exec(script)?.[1];
  if (line === undefined) return undefined;
  const [program = '', ...words] = line.trim().split(/\s+/).map(baseName);
  return program === 'env' ? (words.find((word) => !/^-|=/.test(word)) ?? '') : program;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
