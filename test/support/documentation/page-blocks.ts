/** A block of commands of a page, or a file that the page shows for them. */
export type PageBlock =
  | {
      kind: 'commands';
      line: number;
      text: string;
      /** What the page says they print. */
      output: string | undefined;
      /** Not for this machine: the fence says so. */
      elsewhere: boolean;
    }
  | { kind: 'file'; name: string; text: string };

const FILE_LANGUAGES = ['dockerfile', 'ini', 'js', 'python'];

interface Fence {
  line: number;
  end: number;
  info: string;
  text: string;
}

/** The `sh` blocks of a page in their order, each with the output that stands right below it, and the files between. */
export function blocksOf(page: string): PageBlock[] {
  const fences = fencesOf(page);
  return fences.flatMap<PageBlock>((fence, index) => {
    const [language, ...words] = fence.info.split(' ');
    const name = fileName(language, fence.text);
    if (name !== undefined) return [{ kind: 'file', name, text: fence.text }];
    if (language !== 'sh') return [];
    const unknown = words.find((word) => word !== 'elsewhere');
    if (unknown !== undefined) throw new Error(`line ${fence.line}: a fence says "${unknown}"`);
    const below = fences[index + 1];
    const shown = below?.line === fence.end + 1 && ['', 'json'].includes(below.info);
    const { line, text } = fence;
    const output = shown ? below.text : undefined;
    return [{ kind: 'commands', line, text, output, elsewhere: words.includes('elsewhere') }];
  });
}

function fencesOf(page: string): Fence[] {
  const found: Fence[] = [];
  let open: (Fence & { indent: number; lines: string[] }) | undefined;
  for (const [index, line] of page.split('\n').entries()) {
    const [, indent, info] = /^( *)```(.*)$/.exec(line) ?? [];
    if (open === undefined && indent !== undefined && info !== undefined)
      open = { line: index + 1, end: 0, info: info.trim(), text: '', indent: indent.length, lines: [] };
    else if (open !== undefined && info === '') {
      found.push({ ...open, end: index + 1, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    } else open?.lines.push(line.slice(open.indent));
  }
  return found;
}

/** A file says its name in its first line, as a comment: `# my-runner/runner.py`. */
function fileName(language: string | undefined, text: string): string | undefined {
  if (language === undefined || !FILE_LANGUAGES.includes(language)) return undefined;
  return /^(?:#|\/\/) ([\w-]+(?:[./][\w-]+)+)$/m.exec(text.split('\n', 1)[0] ?? '')?.[1];
}
