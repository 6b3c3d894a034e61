/** What we read of an OpenAPI document, as our runtime writes it. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  security: unknown[];
  'x-scope'?: string;
  parameters: {
    name: string;
    in: 'path' | 'query';
    required: boolean;
    schema: Schema;
    description?: string;
  }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

interface Content {
  schema?: Schema;
  /** Of an event stream: the schema of each event's data. */
  'x-events'?: Record<string, Schema>;
}

interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  description?: string;
  'x-retryable'?: string[];
}

const NOTE = "// Made by `npm run client` from the runtime's own /openapi.json; a test keeps it equal.";

/** The API's types as TypeScript: its schemas, and a table of its calls. */
export function apiTypes({ paths, components: { schemas } }: OpenApiDocument): string {
  const code = schemas.Problem?.properties?.code;
  if (code === undefined) throw new Error('The document has no codes of problems.');
  return [
    NOTE,
    ...Object.entries(schemas).map(declaration),
    `export type ErrorCode = Problem['code'];`,
    `/** Whether the same request may succeed later. */
export const RETRYABLE: Readonly<Record<ErrorCode, boolean>> = ${retryable(code)};`,
    `/** Every call: what it takes, and what it answers. */
export interface Calls {${Object.entries(paths).flatMap(calls).join('\n')}}`,
    '',
  ].join('\n\n');
}

function retryable({ enum: codes = [], 'x-retryable': some = [] }: Schema): string {
  return `{ ${codes.map((code) => `${code}: ${some.some((each) => each === code)},`).join(' ')} }`;
}

function declaration([name, schema]: [string, Schema]): string {
  const written = typeOf(schema);
  const plain = schema.properties !== undefined;
  return `${comment(schema)}export ${plain ? `interface ${name} ${written}` : `type ${name} = ${written};`}`;
}

function calls([path, operations]: [string, Record<string, Operation>]): string[] {
  return Object.entries(operations).map(([method, operation]) => {
    const { summary, requestBody, responses } = operation;
    const [answer] = Object.entries(responses).flatMap(([status, found]) => (status < '300' ? [found] : []));
    const events = answer?.content?.['text/event-stream']?.['x-events'];
    const members = [
      `params: ${parameters(operation, 'path')};`,
      `query: ${parameters(operation, 'query')};`,
      `body: ${contentType(requestBody?.content)};`,
      `answer: ${contentType(answer?.content)};`,
      ...(events === undefined
        ? []
        : [`events: ${object({ properties: events, required: Object.keys(events) })};`]),
    ];
    return `/** ${summary} */\n'${method.toUpperCase()} ${path}': { ${members.join(' ')} };`;
  });
}

function parameters({ parameters: all }: Operation, where: 'path' | 'query'): string {
  const ours = all.filter((parameter) => parameter.in === where);
  if (ours.length === 0) return 'Record<never, never>';
  return object({
    properties: Object.fromEntries(ours.map(({ name, schema }) => [name, schema])),
    required: ours.filter(({ required }) => required).map(({ name }) => name),
  });
}

function contentType(content: Record<string, Content> | undefined): string {
  if (content === undefined) return 'undefined';
  const schema = content['application/json']?.schema;
  if (schema !== undefined) return typeOf(schema);
  return content['text/plain'] === undefined ? 'unknown' : 'string';
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map(typeOf).join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((each) => `(${typeOf(each)})`).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'object':
      return object(schema);
    case 'array':
      return `Array<${typeOf(schema.items ?? {})}>`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

function object({ properties, required = [], additionalProperties: more }: Schema): string {
  const loose = typeof more === 'object' || more === true;
  if (properties === undefined)
    return `Record<string, ${typeof more === 'object' ? typeOf(more) : 'unknown'}>`;
  const members = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    const value = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(schema)}${name}${value};`;
  });
  return `{ ${[...members, ...(loose ? ['[field: string]: unknown;'] : [])].join('\n')} }`;
}

function comment({ description }: Schema): string {
  return description === undefined ? '' : `\n/** ${description.replaceAll('*/', '* /')} */\n`;
}
