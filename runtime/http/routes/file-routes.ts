import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { Conversations } from '../../conversations/conversations.ts';
import { conversationParam, pathParam } from '../identifiers.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';
import { CONTAINER_ERRORS, callerOf } from './exec-routes.ts';

const conversation = z.object({ id: conversationParam });
const file = z.object({ id: conversationParam, path: pathParam });
const noQuery = z.strictObject({});
const writeQuery = z.strictObject({
  durable: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .meta({ description: 'Answer once the change is saved, so that it survives the container' }),
});

const fileList = z
  .object({
    files: z.array(
      z.object({
        path: z.string(),
        size: z.int(),
        sha256: z.string(),
        mode: z.int().meta({ description: 'Permission bits' }),
        modified_at: z.iso.datetime(),
      }),
    ),
    skipped: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .meta({ description: 'Links, devices and names that are no UTF-8' }),
    truncated: z.boolean().meta({ description: 'Whether there are more files than the 50,000 listed' }),
  })
  .meta({ id: 'FileList' });

export function fileRoutes(conversations: Conversations): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/conversations/{id}/files',
      tag: 'Files',
      summary: 'List the files',
      description: 'Of a conversation without a container: those that are saved.',
      access: 'use',
      params: conversation,
      query: noQuery,
      answers: {
        200: { description: 'Every regular file in `/workspace`', content: { 'application/json': fileList } },
      },
      errors: ['INVALID_ID', 'CONVERSATION_NOT_FOUND', ...CONTAINER_ERRORS],
      async handle({ key, params, response, signal }) {
        sendJson(response, 200, await conversations.listFiles(callerOf(key, params.id), signal));
      },
    }),
    route({
      method: 'get',
      path: '/v1/conversations/{id}/files/{path}',
      tag: 'Files',
      summary: 'Read a file',
      description: 'Of a conversation without a container: as it was saved.',
      access: 'use',
      params: file,
      query: noQuery,
      answers: { 200: { description: 'Its bytes', content: { 'application/octet-stream': 'bytes' } } },
      errors: ['INVALID_ID', 'INVALID_PATH', 'CONVERSATION_NOT_FOUND', 'FILE_NOT_FOUND', ...CONTAINER_ERRORS],
      async handle({ key, params, response, signal }) {
        await conversations.readFile(
          callerOf(key, params.id),
          params.path,
          signal,
          async ({ size, content }, until) => {
            response.statusCode = 200;
            response.setHeader('Content-Type', 'application/octet-stream');
            response.setHeader('Content-Length', size);
            await pipeline(content, response, { signal: until });
          },
        );
      },
    }),
    route({
      method: 'put',
      path: '/v1/conversations/{id}/files/{path}',
      tag: 'Files',
      summary: 'Write a file',
      description: 'Makes missing folders. The file appears whole or not at all.',
      access: 'use',
      params: file,
      query: writeQuery,
      body: 'stream',
      answers: { 204: { description: 'It is written' } },
      errors: ['INVALID_ID', 'INVALID_PATH', 'DISK_FULL', ...CONTAINER_ERRORS],
      async handle({ key, params, query, request, response, signal }) {
        await conversations.writeFile(callerOf(key, params.id), params.path, request, query.durable, signal);
        response.status(204).end();
      },
    }),
    route({
      method: 'delete',
      path: '/v1/conversations/{id}/files/{path}',
      tag: 'Files',
      summary: 'Delete a file',
      access: 'use',
      params: file,
      query: writeQuery,
      answers: { 204: { description: 'It is gone' } },
      errors: ['INVALID_ID', 'INVALID_PATH', 'CONVERSATION_NOT_FOUND', 'FILE_NOT_FOUND', ...CONTAINER_ERRORS],
      async handle({ key, params, query, response, signal }) {
        await conversations.removeFile(callerOf(key, params.id), params.path, query.durable, signal);
        response.status(204).end();
      },
    }),
  ];
}
