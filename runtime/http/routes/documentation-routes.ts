import type { Response } from 'express';
import { z } from 'zod';
import { BerthError } from '../../contracts/errors.ts';
import { apiPage } from '../documentation/api-page.ts';
import { Documentation } from '../documentation/documentation.ts';
import { PAGE_POLICY } from '../documentation/layout.ts';
import { openApiDocument } from '../openapi.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';

const nothing = z.object({});

/** What the pages have in common. */
const page: Pick<Route, 'tag' | 'access' | 'answers' | 'errors'> & { query: typeof nothing } = {
  tag: 'Documentation',
  access: 'public',
  query: nothing,
  answers: { 200: { description: 'A page', content: { 'text/html': 'text' } } },
  errors: [],
};

/** The routes that describe all routes, themselves among them. All are made when first asked for. */
export function documentationRoutes(
  others: Route[],
  version: string,
  serverUrl: string | undefined,
): Route[] {
  const pages = new Documentation();
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
      summary: 'The documentation: its table of contents',
      ...page,
      params: nothing,
      async handle({ response }) {
        sendPage(response, await pages.page('/docs'));
      },
    }),
    route({
      method: 'get',
      path: '/docs/api',
      summary: 'The API as a page',
      ...page,
      params: nothing,
      async handle({ response }) {
        const html = apiPage(all, document());
        sendPage(response, await pages.framed({ title: 'API', html, address: '/docs/api' }));
      },
    }),
    route({
      method: 'get',
      path: '/docs/{path}',
      summary: 'A page of the documentation',
      ...page,
      params: z.object({
        path: z.array(z.string()).meta({ description: 'As the table of contents has it' }),
      }),
      errors: ['ROUTE_NOT_FOUND'],
      async handle({ params, response }) {
        sendPage(response, await pages.page(`/docs/${params.path.join('/')}`));
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

function sendPage(response: Response, html: string | undefined): void {
  if (html === undefined) throw new BerthError('ROUTE_NOT_FOUND', 'there is no such page; /docs lists them');
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.type('html').end(html);
}
