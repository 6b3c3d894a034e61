import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { allEvents, printed } from '../support/event-reading.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { Upstream } from '../support/upstream.ts';

const API_KEY = 'canary-api-key-5ce1';
const HEADER = 'canary-mcp-header-90ab';

interface Where {
  /** Whether the runtime's own proxy refuses, and so its log has it. */
  refusalsInLog?: boolean;
  /** Whether the proxy is a child of the runtime, which starts it again. */
  isChild?: boolean;
  /** An address of this machine that the proxy reaches. */
  upstreamHost?: () => string;
  /** How long until the runtime has the counters. */
  countedWithinSeconds?: number;
}

/** What a container can reach, and what it can't. */
export function egressWorks(
  env: () => Record<string, string>,
  {
    refusalsInLog = true,
    isChild = true,
    upstreamHost = () => Upstream.host,
    countedWithinSeconds = 1,
  }: Where = {},
): void {
  let upstream: Upstream;
  let runtime: RuntimeProcess;

  beforeAll(async () => {
    upstream = await Upstream.start({}, upstreamHost());
    runtime = await RuntimeProcess.start({
      env: {
        ...env(),
        EGRESS_ALLOWED_DOMAINS: `internal:${upstream.authority}`,
        EGRESS_CEILING_DOMAINS: `internal:${upstream.authority},pypi.org`,
        ANTHROPIC_API_KEY: API_KEY,
        ANTHROPIC_API_URL: `http://${upstream.authority}/model`,
      },
    });
  });

  afterAll(async () => {
    await runtime[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  const curl = (conversation: string, ...args: string[]) =>
    runtime.exec(conversation, ['curl', '-sS', '-i', '--max-time', '10', ...args]);
  const put = async (conversation: string, body: unknown) =>
    runtime.fetch(`/v1/conversations/${conversation}/egress`, {
      method: 'PUT',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });

  it('lets out what the operator allows, and says no to anything else', async () => {
    const allowed = await curl('out', `http://${upstream.authority}/hello?x=1`);
    expect(allowed.stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(allowed.stdout).toContain('GET /hello?x=1\n');

    const refused = await curl('out', `http://127.0.0.3:${upstream.port}/`);
    expect(refused.stdout).toMatch(/^HTTP\/1\.1 403 /);
    expect(refused.stdout).toContain('Domain not in whitelist');
    const tunnel = await curl('out', '-p', `http://127.0.0.3:${upstream.port}/`);
    expect(tunnel.stdout + tunnel.stderr).toContain('403');
    if (refusalsInLog) {
      await vi.waitFor(() =>
        expect(runtime.log).toContainEqual(
          expect.objectContaining({
            reason: 'not_allowed',
            host: '127.0.0.3',
            container_id: expect.stringMatching(/^ws-/),
          }),
        ),
      );
    }
    const counted = async () => {
      const metrics = await (await runtime.fetch('/metrics')).text();
      expect(metrics).toMatch(/workspace_proxy_blocked_total\{reason="not_allowed"\} [1-9]/);
      expect(metrics).toMatch(/workspace_proxy_request_duration_seconds_count\{method="http"\} [1-9]/);
    };
    await vi.waitFor(counted, { timeout: countedWithinSeconds * 1000, interval: 250 });
  });

  it('tunnels, for programs of every kind', async () => {
    const url = `http://${upstream.authority}/from`;
    const tunnel = await curl('kinds', '-p', `${url}-tunnel`);
    expect(tunnel.stdout).toContain('GET /from-tunnel\n');
    const python = `import urllib.request; print(urllib.request.urlopen("${url}-python").read().decode())`;
    expect((await runtime.exec('kinds', ['python3', '-c', python])).stdout).toContain('GET /from-python\n');
    const node = `fetch("${url}-node").then(async (r) => console.log(await r.text()))`;
    expect((await runtime.exec('kinds', ['node', '-e', node])).stdout).toContain('GET /from-node\n');
  });

  it("adds the operator's key to the model's calls, which the container never sees", async () => {
    const script = 'curl -sS "$ANTHROPIC_BASE_URL/v1/messages" -H "x-api-key: mine" -d "{}"';
    const answer = await runtime.exec('model', ['bash', '-c', script]);
    expect(answer.stdout).toBe('POST /model/v1/messages\n');
    const seen = upstream.seen.find(({ path }) => path === '/model/v1/messages');
    expect(seen?.headers['x-api-key']).toBe(API_KEY);
    await expectNowhere('model', API_KEY);
  });

  it('leads to the MCP servers of an execution, by local addresses alone', async () => {
    const servers = {
      tickets: { url: `http://${upstream.authority}/mcp-base`, headers: { 'X-Secret': HEADER } },
    };
    const events = await allEvents(
      await runtime.post('/v1/conversations/mcp/execute', {
        user_input: `curl -sS "\${HTTP_PROXY}/mcp/tickets/list"; curl -sS -o /dev/null -w '%{http_code}' "\${HTTP_PROXY}/mcp/tickets/../x" --path-as-is`,
        model: 'code/bash',
        mcp_servers: servers,
      }),
    );
    expect(printed(events)).toBe('GET /mcp-base/list\n403');
    expect(upstream.seen.find(({ path }) => path === '/mcp-base/list')?.headers['x-secret']).toBe(HEADER);
    await expectNowhere('mcp', HEADER);
    const shown = await runtime.fetch('/v1/conversations/mcp/egress');
    expect(await shown.json()).toMatchObject({
      allowed_domains: null,
      mcp_servers: { tickets: { url: servers.tickets.url, header_names: ['X-Secret'] } },
    });
  });

  it('can be narrowed and changed by the conversation, within what the operator allows', async () => {
    expect((await curl('own', `http://${upstream.authority}/before`)).stdout).toContain('200 OK');
    expect((await put('own', { allowed_domains: ['pypi.org'] })).status).toBe(200);
    expect((await curl('own', `http://${upstream.authority}/after`)).stdout).toContain('403');

    const beyond = await put('own', { allowed_domains: ['evil.example'] });
    expect([beyond.status, await beyond.json()]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    const metadata = { url: 'http://169.254.169.254/latest', headers: {} };
    expect((await put('own', { mcp_servers: { metadata } })).status).toBe(403);
    const broken = await put('own', { mcp_servers: { 'no name': { url: 'https://pypi.org' } } });
    expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
  });

  const whenOurs = isChild ? it : () => {};
  whenOurs('comes back after the proxy is killed, and tells who follows an execution', async () => {
    const child = Number(
      readFileSync(`/proc/${runtime.child.pid}/task/${runtime.child.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('host-main')),
    );
    const answer = await runtime.post('/v1/conversations/killed/execute', {
      user_input: `import time, urllib.request
print("up", flush=True)
for _ in range(100):
    time.sleep(0.1)
    try:
        print(urllib.request.urlopen("http://${upstream.authority}/again").read().decode(), flush=True)
        if _ > 10: break
    except OSError as e:
        print("lost", flush=True)`,
    });
    process.kill(child, 'SIGKILL');
    const events = await allEvents(answer);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'container_recovered',
        data: expect.objectContaining({ recovered: true }),
      }),
    );
    expect(printed(events)).toContain('GET /again');
    expect(events.at(-1)).toMatchObject({ type: 'done', data: { exit_code: 0 } });
  });

  /** Neither in the container's environment, files and processes, nor in what the runtime says. */
  async function expectNowhere(conversation: string, secret: string): Promise<void> {
    // In two halves, so that the search does not find itself; and with something that it must find.
    const search = `a=${secret.slice(0, 8)}; b=${secret.slice(8)}; echo in-a-file > /workspace/control
      env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null
      grep -rhs -e "$a$b" -e in-a-file /workspace /tmp /var/tmp /home /berth /run /opt /etc; true`;
    const found = await runtime.exec(conversation, ['bash', '-c', search]);
    expect(found.stdout).toContain('HTTP_PROXY=');
    expect(found.stdout).toContain('in-a-file\n');
    expect(found.stdout).not.toContain(secret);
    expect(runtime.output).not.toContain(secret);
  }
}
