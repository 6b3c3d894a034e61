import type { OpenApiDocument } from '../package/client/api-types.ts';
import { row } from './table-row.ts';

type Call = OpenApiDocument['paths'][string][string];
type Shape = OpenApiDocument['components']['schemas'][string];

/** Every call of the document that the runtime serves, by its tag. */
export function apiReference({ paths, components }: OpenApiDocument): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ name: `${method.toUpperCase()} ${path}`, call })),
  );
  const groups = Map.groupBy(calls, ({ call }) => call.tags[0] ?? 'Other');
  return [...groups]
    .map(
      ([tag, group]) => `## ${tag}\n\n${group.map((each) => section(each, components.schemas)).join('\n')}`,
    )
    .join('\n');
}

function section({ name, call }: { name: string; call: Call }, schemas: Record<string, Shape>): string {
  const body = call.requestBody?.content;
  const scope = call['x-scope'] === 'admin' ? ' Wants an admin key.' : '';
  const key = call.security.length === 0 ? ' Wants no key.' : scope;
  const fields = [
    ...call.parameters.map(({ name: field, in: where, required, schema, description }) =>
      fieldRow(field, where, { ...schema, ...(description === undefined ? {} : { description }) }, required),
    ),
    ...Object.entries(body ?? {}).flatMap(([type, { schema }]) => bodyRows(type, schema, schemas)),
  ];
  return `### ${name}

${call.summary}.${call.description === undefined ? '' : ` ${call.description}`}${key}
${fields.length === 0 ? '' : `\n| | in | | |\n|---|---|---|---|\n${fields.join('\n')}\n`}
| answer | |
|---|---|
${answerRows(call.responses).join('\n')}
`;
}

function bodyRows(type: string, given: Shape | undefined, schemas: Record<string, Shape>): string[] {
  const schema = resolved(given ?? {}, schemas);
  if (schema.properties === undefined) return [row(['', 'body', `\`${type}\``, schema.description ?? ''])];
  return Object.entries(schema.properties).map(([field, property]) =>
    fieldRow(field, 'body', property, schema.required?.includes(field) ?? false),
  );
}

function fieldRow(field: string, where: string, schema: Shape, required: boolean): string {
  return row([
    `\`${field}\``,
    where,
    `${typeWords(schema)}${required ? ', required' : ''}`,
    schema.description ?? '',
  ]);
}

/** Errors are told by their codes alone: the page of errors has the rest. */
function answerRows(responses: Call['responses']): string[] {
  const answers = Object.entries(responses);
  const isError = ([status]: (typeof answers)[number]) => status >= '400';
  const codes = answers
    .filter(isError)
    .flatMap(([, { description }]) => description.match(/`[A-Z_]+`/g) ?? []);
  const rows = answers
    .filter((answer) => !isError(answer))
    .map(([status, { description, content }]) => {
      const types = Object.keys(content ?? {});
      return row([status, `${description}${types.length === 0 ? '' : ` (${types.join(', ')})`}`]);
    });
  return codes.length === 0 ? rows : [...rows, row(['errors', codes.join(', ')])];
}

function typeWords(schema: Shape): string {
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map(typeWords).join(' or ');
  if (schema.$ref !== undefined) return `\`${schema.$ref.split('/').at(-1)}\``;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.items !== undefined) return `list of ${typeWords(schema.items)}`;
  return [schema.type ?? 'anything'].flat().join(' or ');
}

function resolved(schema: Shape, schemas: Record<string, Shape>): Shape {
  return schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
}
