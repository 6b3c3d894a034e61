import type { OpenApiDocument } from '../package/client/api-types.ts';
import { servedDocument } from '../package/client/served-document.ts';
import { VARIABLES } from '../runtime/contracts/environment.ts';
import { ERRORS } from '../runtime/contracts/errors.ts';
import { variableNames } from '../runtime/contracts/load-config.ts';
import type { Variable } from '../runtime/contracts/variable.ts';
import { Metrics } from '../runtime/telemetry/metrics.ts';
import { apiReference } from './api-reference.ts';
import { row } from './table-row.ts';

const NOTE = '<!-- Made by `npm run docs` from the code; a test keeps it equal. -->';

/** The pages of docs/reference that are made from the code, by file name. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    'api.md': apiPage(await servedDocument()),
    'configuration.md': configurationPage(),
    'errors.md': errorsPage(),
    'metrics.md': metricsPage(),
  };
}

function apiPage(document: OpenApiDocument): string {
  return `${NOTE}
# API

Send \`Authorization: Bearer <key>\`. Bodies are JSON unless a row says otherwise; what each code of an error means is in
[errors](errors.md). A running service has the same with every schema at \`/docs/api\`, and for tools at \`/openapi.json\`.

${apiReference(document)}`;
}

function metricsPage(): string {
  const metrics = new Metrics(async () => 0);
  metrics.watchWarmPool(async () => ({ size: 0, target: 0, starting: 0 }));
  metrics.watchWorkers(async () => ({}));
  metrics.watchEgress(
    { refused: new Map(), passed: new Map(), durations: new Map(), restarts: 0 },
    async () => {},
  );
  const rows = metrics
    .describe()
    .filter(({ name }) => name.startsWith('workspace_'))
    .map(({ name, help, type, labels }) =>
      row([`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(' '), help]),
    );
  return `${NOTE}
# Metrics

\`GET /metrics\` with an admin key, for Prometheus. Beside these are prom-client's own of the process, \`process_…\` and \`nodejs_…\`. Which of them
to watch, and what to do then, is in [operating](../guides/operations.md#what-to-watch).

| metric | kind | labels | |
|---|---|---|---|
${rows.toSorted().join('\n')}
`;
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
