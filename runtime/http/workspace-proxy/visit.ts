import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiKey } from '../../access/api-key.ts';
import type { WorkspaceRow } from '../../database/workspace-row.ts';
import type { Bearer } from './admission.ts';
import type { ClientFacts } from './client-facts.ts';
import type { WorkspaceAddress } from './workspace-address.ts';

/** A request to a workspace, and what is known of it so far. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly kind: 'request' | 'websocket';
  readonly requestId: string;
  readonly address: WorkspaceAddress;
  readonly facts: ClientFacts;
  readonly bearer: Bearer;
  key?: ApiKey;
  row?: WorkspaceRow;
  /** What is answered is the container's. */
  passed?: boolean;
}

/** Path of the workspace's root, as its browser sees it. */
export function rootOf({ address }: Visit): string {
  return `${address.prefix}/`;
}

/** Somebody looks at the answer: a page is opened, nothing is fetched by one. */
export function isNavigation({ request: { method, headers } }: Visit): boolean {
  const mode = headers['sec-fetch-mode'];
  return (
    method === 'GET' &&
    headers.upgrade === undefined &&
    (mode === undefined || mode === 'navigate') &&
    headers.accept?.includes('text/html') === true
  );
}
