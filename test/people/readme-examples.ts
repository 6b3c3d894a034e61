export interface Example {
  code: string;
  /** What it prints; empty where nothing is said of it. */
  output: string;
}

/** The blocks of a language in a page, each with the block of output that follows it at once. */
export function examplesIn(page: string, language: 'ts' | 'js' = 'ts'): Example[] {
  const pattern = `^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`\\n(?:^\`\`\`\\n([\\s\\S]*?)^\`\`\`$)?`;
  const blocks = page.matchAll(new RegExp(pattern, 'gm'));
  return [...blocks].map(([, code = '', output = '']) => ({ code, output }));
}

/** All examples as one program, which prints a line of dashes before the output of each. */
export function programOf(examples: readonly Example[], before: string): string {
  return [before, ...examples.map(({ code }) => `console.log('---');\n${code}`)].join('\n');
}
