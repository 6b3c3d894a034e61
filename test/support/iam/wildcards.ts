/** Whether a text is of a pattern with `*` and `?`. */
export function matches(pattern: string, text: string): boolean {
  const parts = [...pattern].map((character) =>
    character === '*' ? '[^]*' : character === '?' ? '[^]' : character.replace(/[\\^$.|+()[\]{}]/, '\\$&'),
  );
  return new RegExp(`^${parts.join('')}$`).test(text);
}

/** The same for ARNs: a wildcard stays within its part between colons, of which there are six. */
export function matchesArn(pattern: string, arn: string): boolean {
  const [wanted, given] = [parts(pattern), parts(arn)];
  return wanted.length === given.length && wanted.every((part, at) => matches(part, given[at] ?? ''));
}

const PARTS = 6;

function parts(arn: string): string[] {
  const all = arn.split(':');
  return [...all.slice(0, PARTS - 1), all.slice(PARTS - 1).join(':')];
}
