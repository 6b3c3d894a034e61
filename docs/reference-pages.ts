import { VARIABLES } from '../runtime/contracts/environment.ts';
import { ERRORS } from '../runtime/contracts/errors.ts';
import { variableNames } from '../runtime/contracts/load-config.ts';
import type { Variable } from '../runtime/contracts/variable.ts';

const NOTE = '<!-- Made by `npm run docs` from the code; a test keeps it equal. -->';

/** The pages of docs/reference that are made from the code, by file name. */
export function referencePages(): Record<string, string> {
  return { 'configuration.md': configurationPage(), 'errors.md': errorsPage() };
}

function configurationPage(): string {
  const rows = variableNames().map((name) => {
    const variable: Variable<unknown> = VARIABLES[name];
    const notes = [
      ...(variable.secret ? ['secret'] : []),
      ...(variable.backends === undefined ? [] : [`${variable.backends.join(', ')} only`]),
    ];
    const fallback = variable.defaultText ?? `\`${String(variable.default)}\``;
    return row([`\`${name}\``, fallback, variable.wants, variable.description, notes.join('; ')]);
  });
  return `${NOTE}
# Configuration

The runtime reads environment variables, once, at its start. All problems are told at once, and it exits with code 2.
\`berth config\` shows what is in force. An empty value counts as none. Secrets are never logged or shown.

| variable | default | wants | | |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, title, retryable, advice }]) =>
    row([String(status), `\`${code}\``, title, retryable ? 'yes' : 'no', advice]),
  );
  return `${NOTE}
# Errors

Every error is \`application/problem+json\` (RFC 9457) with \`type, title, status, detail, code, request_id\`. Some carry
\`retry_after\` (seconds, with the header \`Retry-After\` beside it), \`errors\` (a list of \`{path, message}\`), \`limit\` and \`used\`.
The \`request_id\` is in the header \`X-Request-Id\` of every answer and in the log.

| status | code | meaning | can a retry help | what to do |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
