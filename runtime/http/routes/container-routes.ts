import type { Logger } from 'pino';
import { z } from 'zod';
import type { ContainerBackend } from '../../containers/container-backend.ts';
import { BerthError } from '../../contracts/errors.ts';
import { type ContainerId, parseAnyContainerId } from '../../contracts/ids.ts';
import type { ContainerInventory, ContainerOwner, InventoryEntry } from '../../sweep/container-inventory.ts';
import type { SweepRequest } from '../../sweep/reconcile.ts';
import type { SweepReport } from '../../sweep/role-sweep.ts';
import { audited } from '../audit.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';

const STATUSES = ['preparing', 'ready', 'running', 'idle', 'draining'] as const;

const conversationOwner = z
  .object({ tenant: z.string(), conversation_id: z.string(), status: z.enum(STATUSES) })
  .meta({ id: 'ContainerOwner' });

const workspaceOwner = z
  .object({ tenant: z.string(), workspace_id: z.string() })
  .meta({ id: 'ContainerWorkspace' });

const functionOwner = z
  .object({ tenant: z.string(), function_name: z.string() })
  .meta({ id: 'ContainerFunction' });

const container = z
  .object({
    container_id: z.string(),
    role: z.enum(['conversation', 'workspace', 'function']),
    state: z.enum(['created', 'running', 'paused', 'exited']),
    created_at: z.iso.datetime(),
    owner: z
      .union([conversationOwner, workspaceOwner, functionOwner, z.enum(['warm', 'starting', 'stopping'])])
      .nullable()
      .meta({
        description:
          'A conversation, a workspace, a function, the warm pool, on its way in or out, or null: nobody',
      }),
    expires_at: z.iso.datetime().nullable().meta({ description: 'When it ends if nothing is done with it' }),
  })
  .meta({ id: 'Container' });

const report = z
  .object({
    listed: z.int().meta({ description: 'Containers that the backend has' }),
    marked: z.int().meta({ description: 'Without an owner, and waiting for another look' }),
    adopted: z.int().meta({ description: 'Given back to their conversation' }),
    destroyed: z.int(),
    held: z.int().meta({ description: 'Kept by the breaker until it is released' }),
    lost: z.int().meta({ description: 'Conversations whose container is gone' }),
    next_look_in_seconds: z
      .number()
      .nullable()
      .meta({ description: 'When there is something to do about those marked' }),
  })
  .meta({ id: 'SweepReport' });

/** An id that is no container's name names no container. */
const containerParam = z
  .string()
  .meta({ description: 'As `GET /v1/containers` lists it' })
  .transform((text): ContainerId => {
    const id = parseAnyContainerId(text);
    if (id !== undefined) return id;
    throw notFound(text);
  });

const one = z.object({ id: containerParam });
const nothing = z.strictObject({});

export function containerRoutes(parts: {
  inventory: ContainerInventory;
  backend: Pick<ContainerBackend, 'logs'>;
  /** Ends a container at once, whoever's it is, and saves nothing. False: there is none. */
  kill: (container: ContainerId) => Promise<boolean>;
  sweep: (request: SweepRequest) => Promise<SweepReport>;
  log: Logger;
}): Route[] {
  const { inventory, backend, kill, sweep, log } = parts;
  return [
    route({
      method: 'get',
      path: '/v1/containers',
      tag: 'Operations',
      summary: 'Everything that the backend runs for this installation',
      access: 'admin',
      params: z.object({}),
      query: nothing,
      answers: {
        200: {
          description: 'The oldest first',
          content: {
            'application/json': z.object({ containers: z.array(container) }).meta({ id: 'ContainerList' }),
          },
        },
      },
      errors: ['INVALID_REQUEST', 'BACKEND_UNAVAILABLE', 'STORE_UNAVAILABLE'],
      async handle({ response }) {
        sendJson(response, 200, { containers: (await inventory.list()).map(shown) });
      },
    }),
    route({
      method: 'get',
      path: '/v1/containers/{id}/logs',
      tag: 'Operations',
      summary: 'The output of a container',
      access: 'admin',
      params: one,
      query: z.strictObject({
        tail: z.coerce
          .number()
          .int()
          .min(1)
          .max(10_000)
          .default(200)
          .meta({ description: 'How many lines, from the end' }),
      }),
      answers: { 200: { description: 'At most 1 MiB', content: { 'text/plain': 'text' } } },
      errors: ['INVALID_REQUEST', 'CONTAINER_NOT_FOUND', 'BACKEND_UNAVAILABLE'],
      async handle({ params, query, response }) {
        const text = await backend.logs(params.id, { tail: query.tail });
        response.setHeader('Content-Type', 'text/plain; charset=utf-8');
        // What runs in a container chose these bytes: no browser may take them for a page.
        response.setHeader('X-Content-Type-Options', 'nosniff');
        response.end(text);
      },
    }),
    route({
      method: 'delete',
      path: '/v1/containers/{id}',
      tag: 'Operations',
      summary: 'Kill a container',
      description:
        'Ends it at once, whatever it does and whoever it belongs to, without saving its files. ' +
        'The next use of its conversation gets a new one, with the files saved last; a workspace that is wanted RUNNING is started again.',
      access: 'admin',
      params: one,
      query: nothing,
      answers: {
        202: {
          description: 'It is being ended',
          content: {
            'application/json': z
              .object({ container_id: z.string(), status: z.literal('stopping') })
              .meta({ id: 'KilledContainer' }),
          },
        },
      },
      errors: ['INVALID_REQUEST', 'CONTAINER_NOT_FOUND', 'BACKEND_UNAVAILABLE', 'STORE_UNAVAILABLE'],
      async handle(call) {
        const { id } = call.params;
        await audited(log, call, 'container.kill', { container_id: id }, async () => {
          if (!(await kill(id))) throw notFound(id);
        });
        sendJson(call.response, 202, { container_id: id, status: 'stopping' });
      },
    }),
    route({
      method: 'post',
      path: '/v1/sweep',
      tag: 'Operations',
      summary: 'Reconcile with the backend now',
      description:
        'Holds what the backend runs against what the store knows. A container without an owner is marked at the first ' +
        'look, and taken back or ended at one after `ORPHAN_GRACE_PERIOD_SECONDS`.',
      access: 'admin',
      params: z.object({}),
      query: nothing,
      body: z
        .strictObject({
          release_breaker: z
            .boolean()
            .default(false)
            .meta({ description: 'What the breaker holds may be ended: all that has no owner at this look' }),
        })
        .meta({ id: 'SweepRequest' }),
      answers: { 200: { description: 'What was done', content: { 'application/json': report } } },
      errors: ['INVALID_REQUEST', 'BACKEND_UNAVAILABLE', 'STORE_UNAVAILABLE'],
      async handle(call) {
        const { release_breaker } = call.body;
        const { nextLookIn, ...counts } = await audited(log, call, 'sweep', { release_breaker }, () =>
          sweep({ releaseBreaker: release_breaker }),
        );
        sendJson(call.response, 200, { ...counts, next_look_in_seconds: nextLookIn ?? null });
      },
    }),
  ];
}

function shown({ container: view, owner, expiresAt }: InventoryEntry): z.output<typeof container> {
  return {
    container_id: view.id,
    role: view.role,
    state: view.state,
    created_at: iso(view.createdAt),
    owner: shownOwner(owner),
    expires_at: expiresAt === undefined ? null : iso(expiresAt),
  };
}

function shownOwner(owner: ContainerOwner): z.output<typeof container>['owner'] {
  if (typeof owner !== 'object') return owner ?? null;
  if ('function' in owner) return { tenant: owner.tenant, function_name: owner.function };
  return 'workspace' in owner
    ? { tenant: owner.tenant, workspace_id: owner.workspace }
    : { tenant: owner.tenant, conversation_id: owner.conversation, status: owner.status };
}

function notFound(id: string): BerthError {
  return new BerthError('CONTAINER_NOT_FOUND', `there is no container ${id}`);
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
