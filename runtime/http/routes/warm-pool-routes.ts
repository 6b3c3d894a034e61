import type { Logger } from 'pino';
import { z } from 'zod';
import type { WarmPool } from '../../conversations/warm-pool.ts';
import { audited } from '../audit.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';

const MOST = 10_000;

const view = z
  .object({
    size: z.int().meta({ description: 'Containers that are ready' }),
    target: z.int().meta({ description: 'How many there should be; follows demand within the sizes' }),
    starting: z.int().meta({ description: 'Containers being made' }),
    min_size: z.int(),
    max_size: z.int(),
  })
  .meta({ id: 'WarmPool' });

export function warmPoolRoutes(parts: { pool: WarmPool; maxContainers: number; log: Logger }): Route[] {
  const { pool, log } = parts;
  const most = Math.min(MOST, parts.maxContainers);
  const size = z.int().min(0).max(most);
  const sizes = z
    .strictObject({ min_size: size, max_size: size })
    .refine(({ min_size, max_size }) => min_size <= max_size, {
      path: ['min_size'],
      message: 'wants to be at most max_size',
    })
    .meta({ id: 'WarmPoolSizes' });
  const answers = { 200: { description: 'As it is now', content: { 'application/json': view } } };
  return [
    route({
      method: 'get',
      path: '/v1/warm-pool',
      tag: 'Operations',
      summary: 'The pool of containers ready for conversations to come',
      access: 'admin',
      params: z.object({}),
      query: z.strictObject({}),
      answers,
      errors: ['INVALID_REQUEST', 'STORE_UNAVAILABLE'],
      async handle({ response }) {
        sendJson(response, 200, await pool.view());
      },
    }),
    route({
      method: 'put',
      path: '/v1/warm-pool',
      tag: 'Operations',
      summary: 'Set the sizes of the pool',
      description:
        'Holds for every instance from its next look, without a restart, and stays until it is set again. ' +
        'Neither size may be more than `MAX_CONTAINERS`; 0 and 0: no pool.',
      access: 'admin',
      params: z.object({}),
      query: z.strictObject({}),
      body: sizes,
      answers,
      errors: ['INVALID_REQUEST', 'STORE_UNAVAILABLE'],
      async handle(call) {
        const { min_size, max_size } = call.body;
        const now = await audited(log, call, 'warm-pool.configure', { min_size, max_size }, () =>
          pool.configure({ min: min_size, max: max_size }),
        );
        sendJson(call.response, 200, now);
      },
    }),
  ];
}
