import { z } from 'zod';
import { OPERATIONS, WORKSPACE_STATES } from '../../database/workspace-row.ts';
import { workspaceParam } from '../identifiers.ts';

const MOST_SECONDS = 10 * 365 * 86_400;

const state = z.enum(WORKSPACE_STATES);
const name = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, 'wants no control characters')
  .meta({ description: 'For people' });
const imageRef = z.string().min(1).max(512).meta({
  description:
    'An image that listens on port 8080, of those that `ALLOWED_IMAGES` names; without one: the editor',
});
const standbyTtl = z
  .int()
  .min(60)
  .max(MOST_SECONDS)
  .nullable()
  .meta({ description: "How long it runs after its last use; null: the service's own value" });
const archiveTtl = z
  .int()
  .min(60)
  .max(MOST_SECONDS)
  .nullable()
  .meta({ description: 'How long it stays in STANDBY before it is archived; null: never' });

export const newWorkspace = z
  .strictObject({
    id: workspaceParam
      .optional()
      .meta({ description: 'Never used before, in the whole installation; made for you unless given' }),
    name: name.nullable().optional(),
    image_ref: imageRef.optional(),
    standby_ttl_seconds: standbyTtl.optional(),
    archive_ttl_seconds: archiveTtl.optional(),
    desired_state: state.default('RUNNING'),
  })
  .meta({ id: 'NewWorkspace' });

export const workspaceChange = z
  .strictObject({
    desired_state: state.optional(),
    name: name.nullable().optional(),
    image_ref: imageRef.optional().meta({ description: 'From the next start on' }),
    standby_ttl_seconds: standbyTtl.optional(),
    archive_ttl_seconds: archiveTtl.optional(),
  })
  .meta({ id: 'WorkspaceChange' });

const workspaceError = z
  .object({
    code: z.string(),
    message: z.string(),
    count: z.number().meta({ description: 'Failures in a row' }),
    terminal: z.boolean().meta({ description: 'It is tried again only after `retry`' }),
    at: z.iso.datetime(),
  })
  .meta({ id: 'WorkspaceError' });

export const workspace = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    image_ref: z.string(),
    observed_status: z.enum([...WORKSPACE_STATES, 'ERROR', 'DELETED']).meta({
      description: 'PENDING: nothing, or an archive. STANDBY: its home. RUNNING: its home and a container',
    }),
    desired_state: state,
    operation: z.enum(['NONE', ...OPERATIONS]),
    progress: z.string().nullable().meta({ description: 'What is being done, in words' }),
    archived: z.boolean(),
    error: workspaceError.nullable(),
    standby_ttl_seconds: z.number(),
    archive_ttl_seconds: z.number().nullable().meta({ description: 'null: never' }),
    created_at: z.iso.datetime(),
    last_access_at: z.iso.datetime(),
    delete_requested_at: z.iso.datetime().nullable(),
    url: z.string().meta({ description: 'Where it is reached, with a key or a session' }),
  })
  .meta({ id: 'Workspace' });

export const workspaceEvents = {
  state_changed: workspace,
  progress: z
    .object({ operation: workspace.shape.operation, message: z.string() })
    .meta({ id: 'WorkspaceProgress' }),
  error: workspaceError,
};
