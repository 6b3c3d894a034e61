const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = keyof typeof CODES;

export function styled(text: string, style: Style | undefined, colours: boolean): string {
  return colours && style !== undefined && text !== '' ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}

/** How a state of anything looks. */
export function stateStyle(state: string): Style | undefined {
  if (/^(running|ready|idle|warm)$/i.test(state)) return 'green';
  if (/^(error|exited|deleted|nobody|no owner)/i.test(state)) return 'red';
  if (
    /^(preparing|draining|starting|stopping|pending|created|deleting|provisioning|restoring|archiving)/i.test(
      state,
    )
  )
    return 'yellow';
  return undefined;
}
