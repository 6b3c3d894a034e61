import { once } from 'node:events';
import { request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { AdminOffers } from '../../../../runtime/egress/admin/admin-server.ts';
import { createAdminServer } from '../../../../runtime/egress/admin/admin-server.ts';
import { ReplayGuard } from '../../../../runtime/egress/admin/replay-guard.ts';
import { AdminSeal } from '../../../../runtime/egress/admin/sealed-message.ts';

export const ADMIN_KEY = 'a'.repeat(64);

export interface RunningAdmin {
  url: string;
  port: number;
  server: Server;
  send(method: string, path: string, options?: Sent): Promise<{ status: number; body: Buffer }>;
}

export interface Sent {
  body?: Buffer;
  headers?: Record<string, string>;
}

/** An admin server on a port of this machine, and plain HTTP to it. */
export async function runAdmin(offers: AdminOffers, floor = 0, patienceMs?: number): Promise<RunningAdmin> {
  const server = createAdminServer(new AdminSeal(ADMIN_KEY), new ReplayGuard(floor), offers, patienceMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const send = async (method: string, path: string, { body, headers }: Sent = {}) => {
    const length = body && !headers?.['transfer-encoding'] ? { 'content-length': `${body.length}` } : {};
    const options = { host: '127.0.0.1', port, method, path, agent: false } as const;
    const asked = httpRequest({ ...options, headers: { ...length, ...headers } });
    asked.end(body);
    const [response] = await once(asked, 'response');
    return { status: response.statusCode as number, body: await buffer(response) };
  };
  return { url: `http://127.0.0.1:${port}`, port, server, send };
}
