import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { ProxyAdmin } from '../../../../runtime/egress/admin/admin-client.ts';
import { AdminSeal } from '../../../../runtime/egress/admin/sealed-message.ts';
import { egressState } from '../routes/egress-state.ts';
import { type RunningProgram, startProgram } from '../sidecar/running-program.ts';

const KEY = 'k'.repeat(64);
const SECRET = 'canary-2f6e';
const seal = new AdminSeal(KEY);
const state = egressState({ anthropic: { base_url: 'https://a.example', api_key: SECRET } });
const put = { method: 'PUT', path: '/admin/state' };
/** Counters are times in µs. */
const soon = () => (Date.now() + 60_000) * 1000;

interface Call {
  method: string;
  path: string;
  body?: Buffer;
  proof?: string;
}

describe('a call to the admin side of a sidecar', () => {
  let sidecar: RunningProgram;
  let admin: ProxyAdmin;
  /** What was sent and taken, as somebody on the way would have it. */
  let heard: Buffer<ArrayBuffer>;

  beforeAll(async () => {
    sidecar = await startProgram('sidecar-main.ts', {
      PROXY_ADMIN_KEY: KEY,
      CONTAINER_ID: 'ws-000000000001',
    });
    admin = new ProxyAdmin(`http://127.0.0.1:${sidecar.adminPort}`, KEY, { timeoutMs: 2000 });
    heard = seal.sealRequest({ ...put, counter: soon(), body: state });
    expect((await send({ ...put, body: heard })).status).toBe(200);
    return () => sidecar.stop();
  });

  async function send({ method, path, body, proof }: Call): Promise<{ status: number; answer: string }> {
    const response = await fetch(`http://127.0.0.1:${sidecar.adminPort}${path}`, {
      method,
      ...(body && { body: new Uint8Array(body) }),
      ...(proof !== undefined && { headers: { 'x-berth-proof': proof } }),
    });
    return { status: response.status, answer: Buffer.from(await response.arrayBuffer()).toString('latin1') };
  }

  const proof = seal.prove('GET', '/admin/stats', soon());
  it.each<[name: string, status: number, call: () => Call]>([
    ['that is open', 401, () => ({ ...put, body: Buffer.from(JSON.stringify(state)) })],
    ['without a body', 401, () => put],
    ['that is sent again', 409, () => ({ ...put, body: heard })],
    ['that is aimed elsewhere', 401, () => ({ method: 'POST', path: '/admin/update-rules', body: heard })],
    ['that is sent by another method', 401, () => ({ ...put, method: 'POST', body: heard })],
    ['that is sent with a query', 401, () => ({ ...put, path: '/admin/state?x', body: heard })],
    ['with a bit flipped', 401, () => ({ ...put, body: flipped(heard) })],
    ['that is cut short', 401, () => ({ ...put, body: heard.subarray(0, -1) })],
    [
      'of before the sidecar was started',
      409,
      () => ({ ...put, body: seal.sealRequest({ ...put, counter: 1, body: egressState() }) }),
    ],
    [
      'under another key',
      401,
      () => ({
        ...put,
        body: new AdminSeal('x'.repeat(64)).sealRequest({ ...put, counter: soon(), body: egressState() }),
      }),
    ],
    [
      'that is an answer',
      401,
      () => ({
        ...put,
        body: seal.sealAnswer({ ...put, counter: soon(), body: egressState(), status: 200 }),
      }),
    ],
    [
      'that does not exist',
      404,
      () => {
        const other = { method: 'DELETE', path: '/admin/state' };
        return { ...other, body: seal.sealRequest({ ...other, counter: soon() + 1, body: {} }) };
      },
    ],
    ['for counters without a proof', 401, () => ({ method: 'GET', path: '/admin/stats' })],
    ['for counters with a proof', 200, () => ({ method: 'GET', path: '/admin/stats', proof })],
    ['for counters with a proof that was used', 409, () => ({ method: 'GET', path: '/admin/stats', proof })],
    [
      'for counters with a proof for something else',
      401,
      () => ({ method: 'GET', path: '/admin/stats', proof: seal.prove('PUT', '/admin/state', soon()) }),
    ],
  ])('%s is answered %i, and tells nothing', async (_name, status, call) => {
    const answered = await send(call());
    expect(answered.status).toBe(status);
    expect(answered.answer).not.toMatch(/canary|kkkk|counter/);
    if (status === 401) expect(answered.answer).toBe('');
    expect((await send({ method: 'GET', path: '/health' })).status).toBe(200);
  });

  it('is found out when another program has taken the port, which learns nothing', async () => {
    await sidecar.stop();
    let heardThere = '';
    const impostor = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        heardThere += chunk.toString('latin1');
        // What it once heard a good answer to, and a word that all is well.
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"status":"ok"}');
      });
    });
    impostor.listen(sidecar.adminPort, '127.0.0.1');
    await once(impostor, 'listening');
    await expect(admin.putState(state, soon())).rejects.toMatchObject({ reason: 'impostor' });
    await expect(admin.stats(soon())).rejects.toMatchObject({ reason: 'impostor' });
    await expect(admin.updateRules({}, soon())).rejects.toMatchObject({ reason: 'impostor' });
    impostor.close();
    expect(heardThere).toContain('PUT /admin/state');
    expect(heardThere).not.toMatch(/canary|kkkk|anthropic/);
  });
});

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(40) ^ 1, 40);
  return copy;
}
