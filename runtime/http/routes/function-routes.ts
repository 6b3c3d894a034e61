import { z } from 'zod';
import type { FunctionDefinition } from '../../functions/definitions/function-definition.ts';
import type { FunctionRegistry } from '../../functions/definitions/function-registry.ts';
import type { FunctionSettings } from '../../functions/definitions/function-settings.ts';
import { functionView } from '../../functions/definitions/function-view.ts';
import { functionParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { functionRequest, functionShown, wordsOf } from './function-schemas.ts';

const one = z.object({ name: functionParam });
const nothing = z.strictObject({});
/** Of every call. */
const always = ['NOT_SUPPORTED', 'STORE_UNAVAILABLE'] as const;
const shownOne = { 'application/json': functionShown };
const listQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: functionParam.optional().meta({ description: '`next_cursor` of the page before' }),
});

interface Parts {
  /** Throws where there are no functions. */
  registry: () => FunctionRegistry;
  settings: FunctionSettings;
}

/** Functions as they are defined. Calling one is a route of its own. */
export function functionRoutes({ registry, settings }: Parts): Route[] {
  const shown = (definition: FunctionDefinition) => functionView(definition, settings.source);
  const common = { tag: 'Functions', access: 'use' } as const;
  return [
    route({
      ...common,
      method: 'put',
      path: '/v1/functions/{name}',
      summary: 'Define a function',
      description:
        'As a whole: what is not said is as by default. Another image, environment, port or resources replace its workers, each once its call is over.',
      params: one,
      query: nothing,
      body: functionRequest(settings),
      answers: {
        200: { description: 'It was there, and is so from now on', content: shownOne },
        201: { description: 'It was made', content: shownOne },
      },
      errors: [...always, 'INVALID_REQUEST', 'INVALID_ID', 'FORBIDDEN', 'QUOTA_EXCEEDED'],
      async handle({ key, params, body, response }) {
        const { definition, created } = await registry().put(key.tenant, params.name, wordsOf(body));
        sendJson(response, created ? 201 : 200, shown(definition));
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/functions',
      summary: 'List functions',
      params: z.object({}),
      query: listQuery,
      answers: {
        200: {
          description: 'In order of name',
          content: {
            'application/json': z
              .object({ functions: z.array(functionShown), next_cursor: z.string().nullable() })
              .meta({ id: 'FunctionList' }),
          },
        },
      },
      errors: [...always, 'INVALID_REQUEST', 'INVALID_ID'],
      async handle({ key, query: { limit, cursor }, response }) {
        const page = { limit, ...(cursor === undefined ? {} : { after: cursor }) };
        const found = await registry().list(key.tenant, page);
        sendJson(response, 200, {
          functions: found.map(shown),
          next_cursor: found.length < limit ? null : (found.at(-1)?.of.name ?? null),
        });
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/functions/{name}',
      summary: 'Get a function',
      params: one,
      query: nothing,
      answers: { 200: { description: 'As it is defined', content: shownOne } },
      errors: [...always, 'INVALID_ID', 'FUNCTION_NOT_FOUND'],
      async handle({ key, params, response }) {
        sendJson(response, 200, shown(await registry().get(key.tenant, params.name)));
      },
    }),
    route({
      ...common,
      method: 'delete',
      path: '/v1/functions/{name}',
      summary: 'Delete a function',
      description: 'It takes no more calls. Its workers end, each once its call is over.',
      params: one,
      query: nothing,
      answers: { 202: { description: 'It is gone; its workers are going' } },
      errors: [...always, 'INVALID_ID', 'FUNCTION_NOT_FOUND'],
      async handle({ key, params, response }) {
        await registry().delete(key.tenant, params.name);
        sendJson(response, 202, { name: params.name });
      },
    }),
  ];
}
