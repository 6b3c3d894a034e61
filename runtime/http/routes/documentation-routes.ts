import { z } from 'zod';
import { docsPage } from '../docs-page.ts';
import { openApiDocument } from '../openapi.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';

const nothing = z.object({});

/** The routes that describe all routes, themselves among them. Both are made when first asked for. */
export function documentationRoutes(
  others: Route[],
  version: string,
  serverUrl: string | undefined,
): Route[] {
  const own: Route[] = [
    route({
      method: 'get',
      path: '/openapi.json',
      tag: 'Documentation',
      summary: 'The API as an OpenAPI document',
      access: 'public',
      params: nothing,
      query: nothing,
      answers: { 200: { description: 'OpenAPI 3.1', content: { 'application/json': z.looseObject({}) } } },
      errors: [],
      async handle({ response }) {
        sendJson(response, 200, document());
      },
    }),
    route({
      method: 'get',
      path: '/docs',
      tag: 'Documentation',
      summary: 'The API as a page',
      access: 'public',
      params: nothing,
      query: nothing,
      answers: { 200: { description: 'A page', content: { 'text/html': 'text' } } },
      errors: [],
      async handle({ response }) {
        response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
        response.type('html').end(docsPage(all, document()));
      },
    }),
  ];
  const all = [...others, ...own];
  let made: Record<string, unknown> | undefined;
  const document = () => {
    made ??= openApiDocument(all, version, serverUrl);
    return made;
  };
  return own;
}
