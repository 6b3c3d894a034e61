import { z } from 'zod';
import type { KeyRing } from '../../access/key-ring.ts';
import type { Readiness } from '../../lifecycle/readiness.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { presentedKey } from '../authentication.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';

const nothing = z.object({});

const readiness = z
  .object({
    status: z.enum(['ready', 'unready']),
    dependencies: z
      .array(z.object({ name: z.string(), ready: z.boolean(), vital: z.boolean(), detail: z.string() }))
      .optional()
      .meta({ description: 'With an admin key only' }),
  })
  .meta({ id: 'Readiness' });

const readyQuery = z.strictObject({
  once: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .meta({
      description:
        'Also 200 where it could serve once since its start: for a load balancer, which would replace instances that only wait for Redis',
    }),
});

export function operationsRoutes(parts: {
  version: string;
  readiness: Readiness;
  metrics: Metrics;
  ring: KeyRing;
}): Route[] {
  const { version, metrics, ring } = parts;
  let wasReady = false;
  return [
    route({
      method: 'get',
      path: '/health',
      tag: 'Operations',
      summary: 'Whether the service is alive',
      access: 'public',
      params: nothing,
      query: nothing,
      answers: {
        200: {
          description: 'It is',
          content: {
            'application/json': z
              .object({ status: z.literal('ok'), version: z.string() })
              .meta({ id: 'Health' }),
          },
        },
      },
      errors: [],
      async handle({ response }) {
        sendJson(response, 200, { status: 'ok', version });
      },
    }),
    route({
      method: 'get',
      path: '/ready',
      tag: 'Operations',
      summary: 'Whether the service can serve',
      access: 'public',
      params: nothing,
      query: readyQuery,
      answers: {
        200: { description: 'It can', content: { 'application/json': readiness } },
        503: { description: 'It cannot', content: { 'application/json': readiness } },
      },
      errors: [],
      async handle({ request, response, query }) {
        const dependencies = await parts.readiness.look();
        const ready = dependencies.every((each) => each.ready || !each.vital);
        wasReady ||= ready;
        const admin = presentedKey(request, ring)?.scope === 'admin';
        const body = { status: ready ? 'ready' : 'unready', ...(admin ? { dependencies } : {}) };
        sendJson(response, ready || (query.once && wasReady) ? 200 : 503, body);
      },
    }),
    route({
      method: 'get',
      path: '/metrics',
      tag: 'Operations',
      summary: 'Metrics for Prometheus',
      access: 'admin',
      params: nothing,
      query: nothing,
      answers: { 200: { description: 'In the text format', content: { 'text/plain': 'text' } } },
      errors: ['STORE_UNAVAILABLE'],
      async handle({ response }) {
        const text = await metrics.text();
        response.setHeader('Content-Type', metrics.contentType);
        response.end(text);
      },
    }),
  ];
}
