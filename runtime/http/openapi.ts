import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../contracts/errors.ts';
import { PROBLEM_TYPE } from './problem.ts';
import type { Answer, Events, Route } from './route.ts';

type Json = Record<string, unknown>;

/** The OpenAPI document of the routes, from the same schemas that check requests. */
export function openApiDocument(routes: Route[], version: string, serverUrl: string | undefined): Json {
  const schemas: Json = { Problem: problemSchema() };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method] = operation(route, schemas);
    paths[route.path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description: 'Warm, isolated workspaces for AI agents.' },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    paths,
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
}

function operation(route: Route, schemas: Json): Json {
  return {
    tags: [route.tag],
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: route.access === 'public' ? [] : [{ key: [] }],
    ...(route.access === 'admin' ? { 'x-scope': 'admin' } : {}),
    parameters: [...parameters('path', route.params, schemas), ...parameters('query', route.query, schemas)],
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, schemas) }),
    responses: { ...answers(route.answers, schemas), ...problems(route) },
  };
}

function operationId({ method, path }: Route): string {
  const words = path.split('/').filter((part) => part !== '' && part !== 'v1');
  return [method, ...words.map((word) => (word.startsWith('{') ? `by-${word.slice(1, -1)}` : word))].join(
    '-',
  );
}

function parameters(where: 'path' | 'query', schema: z.ZodType, schemas: Json): Json[] {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    const shape = name === 'path' ? { type: 'string' } : rest;
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: shape,
    };
  });
}

function requestBody(body: z.ZodType | 'stream', schemas: Json): Json {
  if (body === 'stream') return { required: true, content: { 'application/octet-stream': {} } };
  return { required: true, content: { 'application/json': { schema: jsonSchema(body, 'input', schemas) } } };
}

function answers(all: Record<number, Answer>, schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(all).map(([status, { description, content, headers }]) => [
      status,
      {
        description,
        ...(headers === undefined
          ? {}
          : {
              headers: Object.fromEntries(
                Object.entries(headers).map(([name, text]) => [
                  name,
                  { description: text, schema: { type: 'string' } },
                ]),
              ),
            }),
        ...(content === undefined
          ? {}
          : {
              content: Object.fromEntries(
                Object.entries(content).map(([type, schema]) => [type, answerContent(schema, schemas)]),
              ),
            }),
      },
    ]),
  );
}

function answerContent(schema: z.ZodType | 'bytes' | 'text' | Events, schemas: Json): Json {
  if (schema === 'bytes') return {};
  if (schema === 'text') return { schema: { type: 'string' } };
  if ('events' in schema) {
    // As an input: a runner's events may have more fields than these.
    const told = Object.entries(schema.events).map(([name, data]) => [
      name,
      jsonSchema(data, 'input', schemas),
    ]);
    return { schema: { type: 'string' }, 'x-events': Object.fromEntries(told) };
  }
  return { schema: jsonSchema(schema, 'output', schemas) };
}

function problems(route: Route): Json {
  const codes: ErrorCode[] = [
    ...(route.access === 'public' ? [] : (['UNAUTHENTICATED'] as const)),
    ...route.errors,
  ];
  if (route.access === 'admin') codes.push('FORBIDDEN');
  if (route.body !== undefined && route.body !== 'stream')
    codes.push('BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, group]) => [
        status,
        {
          description: group.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('. '),
          content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  );
}

/** A schema with an id goes among the shared ones and is referred to. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  const {
    $schema: _,
    $defs = {},
    ...json
  } = JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/'));
  for (const [name, definition] of Object.entries<Json>($defs)) {
    const { id: __, ...shared } = definition;
    schemas[name] ??= shared;
  }
  return json;
}

function problemSchema(): Json {
  return {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: {
        type: 'string',
        enum: Object.keys(ERRORS),
        'x-retryable': Object.entries(ERRORS).flatMap(([code, { retryable }]) => (retryable ? [code] : [])),
      },
      request_id: { type: 'string' },
      retry_after: { type: 'integer', description: 'Seconds' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'message'],
          properties: { path: { type: 'string' }, message: { type: 'string' } },
        },
      },
      execution_id: { type: 'string', description: 'The one that runs, of `CONVERSATION_LOCKED`' },
      limit: { type: 'integer', description: 'Of `QUOTA_EXCEEDED` and `CAPACITY_EXCEEDED`' },
      used: { type: 'integer' },
    },
  };
}
