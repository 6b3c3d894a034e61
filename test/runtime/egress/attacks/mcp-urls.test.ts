import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RuntimeProcess } from '../../../support/runtime-process.ts';
import { describeWith } from '../../../support/services/provided.ts';
import { Recorder } from './recorder.ts';

const SECRET = 'canary-51d0';
const VICTIMS = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '::1'];

/** PORT is that of the victims. `call`: what the proxy answers, where only it can know. */
interface Row {
  name: string;
  url: string;
  headers?: Record<string, string>;
  status: 200 | 400 | 403;
  call?: { status: number; says: string };
}

const refused = (status: 400 | 403, name: string, url: string): Row => ({ name, url, status });

const ROWS: readonly Row[] = [
  refused(403, 'loopback', 'http://127.0.0.1:PORT/'),
  refused(403, 'another loopback', 'http://127.0.0.3:PORT/'),
  refused(403, 'loopback over TLS', 'https://127.0.0.3:PORT/'),
  refused(403, 'loopback in IPv6', 'http://[::1]:PORT/'),
  refused(403, 'loopback, mapped', 'http://[::ffff:127.0.0.3]:PORT/'),
  refused(403, 'loopback as an integer', 'http://2130706435:PORT/'),
  refused(403, 'loopback in hexadecimal', 'http://0x7f000003:PORT/'),
  refused(403, 'loopback in octal', 'http://0177.0.0.3:PORT/'),
  refused(403, 'loopback in two parts', 'http://127.3:PORT/'),
  refused(403, 'loopback in full width', 'http://１２７．０．０．３:PORT/'),
  refused(403, 'the address of none', 'http://0:PORT/'),
  refused(403, 'metadata', 'http://169.254.169.254/latest/meta-data/'),
  refused(403, 'metadata as an integer', 'http://2852039166/'),
  refused(403, 'metadata of tasks', 'http://169.254.170.2/v2/credentials'),
  refused(403, 'metadata in IPv6', 'http://[fd00:ec2::254]/'),
  refused(403, 'metadata by its name', 'http://metadata.google.internal/'),
  refused(403, 'a host that is not on the list', 'https://evil.example/'),
  refused(403, 'another port of a listed host', 'http://listed.example:22/'),
  refused(403, "the engine's socket as a host", 'http://unix:/var/run/docker.sock'),
  refused(400, "the engine's socket", 'unix:///var/run/docker.sock'),
  refused(400, "the engine's socket over HTTP", 'http+unix://%2Fvar%2Frun%2Fdocker.sock/info'),
  refused(400, "the engine's socket as a path", '/var/run/docker.sock'),
  refused(400, 'a file', 'file:///etc/passwd'),
  refused(400, 'ftp', 'ftp://listed.example/'),
  refused(400, 'a script', 'javascript:alert(1)'),
  refused(400, 'a credential', `http://user:${SECRET}@localhost:PORT/`),
  refused(400, 'a user before another host', 'http://localhost:PORT@127.0.0.3:PORT/'),
  refused(400, 'a backslash before another host', 'http://localhost:PORT\\@127.0.0.3:PORT/'),
  refused(400, 'a query', 'http://localhost:PORT/?to='),
  refused(400, 'a fragment', 'http://localhost:PORT/#'),
  refused(400, 'a line break', 'http://localhost:PORT/\r\nX-Evil:1'),
  refused(400, 'a blank', 'http://localhost:PORT/ '),
  refused(400, 'port 0', 'http://localhost:0/'),
  refused(400, 'nothing', ''),
  {
    name: 'a listed name that is loopback',
    url: 'http://localhost:PORT/',
    status: 200,
    call: { status: 403, says: 'private or special address' },
  },
  {
    name: 'a listed name that is loopback, over TLS and with a secret',
    url: 'https://localhost:PORT/',
    headers: { Authorization: SECRET },
    status: 200,
    call: { status: 403, says: 'private or special address' },
  },
  {
    name: 'a secret over plain http to a host that is not internal',
    url: 'http://listed.example/',
    headers: { Authorization: SECRET },
    status: 200,
    call: { status: 403, says: 'does not go over plain http' },
  },
  {
    name: 'a header with a line break',
    url: 'https://listed.example/',
    headers: { X: `${SECRET}\r\nY: 1` },
    status: 400,
  },
  {
    name: 'a header of framing',
    url: 'https://listed.example/',
    headers: { 'Content-Length': '0' },
    status: 400,
  },
  { name: 'a Host', url: 'https://listed.example/', headers: { Host: 'evil.example' }, status: 400 },
  {
    name: 'a header for the proxy',
    url: 'https://listed.example/',
    headers: { 'Proxy-Authorization': SECRET },
    status: 400,
  },
];

describeWith('bubblewrap', 'an MCP server that a tenant names', () => {
  const victims: Recorder[] = [];
  let runtime: RuntimeProcess;
  let port: number;

  beforeAll(async () => {
    for (const host of VICTIMS) {
      victims.push(
        await Recorder.http(host, victims[0]?.port ?? 0, (_, response) => response.end('reached')),
      );
    }
    port = victims[0]?.port ?? 0;
    runtime = await RuntimeProcess.start({
      env: {
        CONTAINER_MANAGER_TYPE: 'process',
        EGRESS_ALLOWED_DOMAINS: 'none',
        EGRESS_CEILING_DOMAINS: `localhost:${port},listed.example`,
      },
    });
  });
  beforeEach(() => {
    for (const victim of victims) victim.take();
  });
  afterAll(async () => {
    await runtime?.[Symbol.asyncDispose]();
    for (const victim of victims) await victim[Symbol.asyncDispose]();
  });

  it.each(ROWS)('is refused: $name', async ({ url, headers = {}, status, call }) => {
    const mcp_servers = { tools: { url: url.replaceAll('PORT', `${port}`), headers } };
    const body = JSON.stringify({ mcp_servers });
    const set = { method: 'PUT', body, headers: { 'content-type': 'application/json' } };
    const answer = await runtime.fetch('/v1/conversations/tenant/egress', set);
    const text = await answer.text();
    expect([answer.status, text]).toEqual([status, expect.not.stringContaining(SECRET)]);
    if (call !== undefined) {
      const script = 'curl -sS -i --max-time 10 "$HTTP_PROXY/mcp/tools/list"';
      const { stdout } = await runtime.exec('tenant', ['bash', '-c', script]);
      expect(stdout).toMatch(new RegExp(`^HTTP/1\\.1 ${call.status} `));
      expect(stdout).toContain(call.says);
    } else {
      const asked = { user_input: 'echo reached', model: 'code/bash', mcp_servers };
      expect((await runtime.post('/v1/conversations/tenant/execute', asked)).status).toBe(status);
    }
    expect(victims.map(({ connections }) => connections)).toEqual(victims.map(() => 0));
    expect(runtime.output).not.toContain(SECRET);
  });
});
