import { z } from 'zod';
import type { Overview } from '../../overview/overview.ts';
import type { OverviewFeed } from '../../overview/overview-feed.ts';
import { EventStream } from '../event-stream.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { overview } from './overview-schemas.ts';

export function overviewRoutes(feed: Pick<OverviewFeed, 'now' | 'follow'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/overview',
      tag: 'Operations',
      summary: 'How everything stands, at a glance',
      description:
        "With an admin key of all tenants, else of the key's own. As `text/event-stream` when asked: an `overview` at once, " +
        'and another whenever it has changed, at most one a second. One look serves all who watch.',
      access: 'use',
      params: z.object({}),
      query: z.strictObject({}),
      answers: {
        200: {
          description: 'As it is now',
          content: { 'application/json': overview, 'text/event-stream': { events: { overview } } },
        },
      },
      errors: ['INVALID_REQUEST'],
      async handle({ key, request, response, signal }) {
        if (request.headers.accept?.includes('text/event-stream') !== true) {
          const now: z.input<typeof overview> = (await feed.now(key)) satisfies Overview;
          sendJson(response, 200, now);
          return;
        }
        using events = new EventStream(response, signal);
        for await (const text of feed.follow(key, signal))
          await events.sendFrames(Buffer.from(`event: overview\ndata: ${text}\n\n`));
        events.end();
      },
    }),
  ];
}
