import { z } from 'zod';
import type { ApiKey } from '../../access/api-key.ts';
import type { WorkspaceId } from '../../contracts/ids.ts';
import type { WorkspaceRow } from '../../database/workspace-row.ts';
import { type ViewSettings, type WorkspaceView, workspaceView } from '../../workspaces/workspace-view.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { EventStream } from '../event-stream.ts';
import { workspaceParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { newWorkspace, workspace, workspaceChange, workspaceEvents } from './workspace-schemas.ts';

export interface WorkspaceService {
  workspaces: Workspaces;
  view: ViewSettings;
  /** A link that opens one in a browser, once. */
  link: (id: WorkspaceId, key: ApiKey) => { url: string; expiresAt: Date };
}

const one = z.object({ id: workspaceParam });
const nothing = z.strictObject({});
/** Of every call. */
const always = ['NOT_SUPPORTED', 'STORE_UNAVAILABLE'] as const;
const shownOne = { 'application/json': workspace };
const listQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: workspaceParam.optional().meta({ description: '`next_cursor` of the page before' }),
});

/** `service` throws where there are no workspaces. */
export function workspaceRoutes(service: () => WorkspaceService): Route[] {
  const shown = (row: WorkspaceRow): WorkspaceView => workspaceView(row, service().view);
  const common = { tag: 'Workspaces', access: 'use' } as const;
  return [
    route({
      ...common,
      method: 'post',
      path: '/v1/workspaces',
      summary: 'Make a workspace',
      params: z.object({}),
      query: nothing,
      body: newWorkspace,
      answers: { 201: { description: 'It is being made', content: shownOne } },
      errors: [
        ...always,
        'INVALID_REQUEST',
        'INVALID_ID',
        'FORBIDDEN',
        'WORKSPACE_EXISTS',
        'QUOTA_EXCEEDED',
        'CAPACITY_EXCEEDED',
      ],
      async handle({ key, body, response }) {
        const row = await service().workspaces.create(key, {
          id: body.id,
          name: body.name,
          imageRef: body.image_ref,
          standbyTtlSeconds: body.standby_ttl_seconds,
          archiveTtlSeconds: body.archive_ttl_seconds === null ? 'never' : body.archive_ttl_seconds,
          desiredState: body.desired_state,
        });
        sendJson(response, 201, shown(row));
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/workspaces',
      summary: 'List workspaces',
      params: z.object({}),
      query: listQuery,
      answers: {
        200: {
          description: 'In order of id, without deleted ones',
          content: {
            'application/json': z
              .object({ workspaces: z.array(workspace), next_cursor: z.string().nullable() })
              .meta({ id: 'WorkspaceList' }),
          },
        },
      },
      errors: [...always, 'INVALID_REQUEST'],
      async handle({ key, query, response }) {
        const { limit, cursor } = query;
        const rows = await service().workspaces.list(key.tenant, {
          limit,
          ...(cursor === undefined ? {} : { after: cursor }),
        });
        sendJson(response, 200, {
          workspaces: rows.map(shown),
          next_cursor: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
        });
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/workspaces/{id}',
      summary: 'Get a workspace',
      params: one,
      query: nothing,
      answers: { 200: { description: 'As it is now', content: shownOne } },
      errors: [...always, 'INVALID_ID', 'WORKSPACE_NOT_FOUND'],
      async handle({ key, params, response }) {
        sendJson(response, 200, shown(await service().workspaces.get(key.tenant, params.id)));
      },
    }),
    route({
      ...common,
      method: 'patch',
      path: '/v1/workspaces/{id}',
      summary: 'Say what is wanted of a workspace',
      description: 'Taken at any time, and reached after the operation under way.',
      params: one,
      query: nothing,
      body: workspaceChange,
      answers: { 200: { description: 'As it is now', content: shownOne } },
      errors: [
        ...always,
        'INVALID_REQUEST',
        'INVALID_ID',
        'FORBIDDEN',
        'WORKSPACE_NOT_FOUND',
        'WORKSPACE_DELETING',
        'QUOTA_EXCEEDED',
        'CAPACITY_EXCEEDED',
      ],
      async handle({ key, params, body, response }) {
        const row = await service().workspaces.change(key, params.id, {
          desiredState: body.desired_state,
          name: body.name,
          imageRef: body.image_ref,
          standbyTtlSeconds: body.standby_ttl_seconds,
          archiveTtlSeconds: body.archive_ttl_seconds === null ? 'never' : body.archive_ttl_seconds,
        });
        sendJson(response, 200, shown(row));
      },
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/workspaces/{id}/retry',
      summary: 'Try again what failed',
      params: one,
      query: nothing,
      answers: { 202: { description: 'It is tried', content: shownOne } },
      errors: [...always, 'INVALID_ID', 'WORKSPACE_NOT_FOUND', 'WORKSPACE_DELETING'],
      async handle({ key, params, response }) {
        sendJson(response, 202, shown(await service().workspaces.retry(key.tenant, params.id)));
      },
    }),
    route({
      ...common,
      method: 'delete',
      path: '/v1/workspaces/{id}',
      summary: 'Delete a workspace',
      description:
        'Its container goes, then its home; two hours later its archives. Its id is never used again.',
      params: one,
      query: nothing,
      answers: { 202: { description: 'It is being deleted' } },
      errors: [...always, 'INVALID_ID', 'WORKSPACE_NOT_FOUND'],
      async handle({ key, params, response }) {
        await service().workspaces.delete(key.tenant, params.id);
        sendJson(response, 202, { id: params.id });
      },
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/workspaces/{id}/sessions',
      summary: 'Make a link that opens it in a browser',
      description:
        'Good once, within 60 seconds; it is exchanged for a cookie that opens this workspace only.',
      params: one,
      query: nothing,
      answers: {
        201: {
          description: 'The link',
          content: {
            'application/json': z
              .object({ url: z.string(), expires_at: z.iso.datetime() })
              .meta({ id: 'WorkspaceSession' }),
          },
        },
      },
      errors: [...always, 'INVALID_ID', 'WORKSPACE_NOT_FOUND'],
      async handle({ key, params, response }) {
        await service().workspaces.get(key.tenant, params.id);
        const { url, expiresAt } = service().link(params.id, key);
        sendJson(response, 201, { url, expires_at: expiresAt.toISOString() });
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/workspaces/{id}/events',
      summary: 'Follow a workspace',
      description:
        '`state_changed` with the workspace, first as it is now; `progress` with what is being done; `error` with what failed. Ends when it is deleted.',
      params: one,
      query: nothing,
      answers: {
        200: {
          description: 'Server-sent events',
          content: { 'text/event-stream': { events: workspaceEvents } },
        },
      },
      errors: [...always, 'INVALID_ID', 'WORKSPACE_NOT_FOUND'],
      async handle({ key, params, response, signal }) {
        const rows = service().workspaces.follow(key.tenant, params.id, signal);
        const first = await rows.next(); // before anything is sent: it may not be there
        using events = new EventStream(response, signal);
        let before: WorkspaceView | undefined;
        for (let { value, done } = first; !done; { value, done } = await rows.next()) {
          const now = shown(value);
          for (const { event, data } of changes(before, now)) await events.send(event, data);
          before = now;
        }
        events.end();
      },
    }),
  ];
}

/** What is told of a workspace that was `before` and is `now`. */
function changes(before: WorkspaceView | undefined, now: WorkspaceView): { event: string; data: unknown }[] {
  const told = [];
  const { progress: _now, last_access_at: _at, ...state } = now;
  const {
    progress: _before,
    last_access_at: _then,
    ...earlier
  } = before ?? { progress: null, last_access_at: null };
  if (JSON.stringify(state) !== JSON.stringify(earlier)) told.push({ event: 'state_changed', data: now });
  if (now.progress !== null && now.progress !== before?.progress) {
    told.push({ event: 'progress', data: { operation: now.operation, message: now.progress } });
  }
  if (now.error !== null && now.error.at !== before?.error?.at)
    told.push({ event: 'error', data: now.error });
  return told;
}
