import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentClient } from '../../../runtime/agent-client/agent-client.ts';
import { AgentMisbehaved, AgentUnreachable } from '../../../runtime/agent-client/agent-failures.ts';
import { isBerthError } from '../../../runtime/contracts/errors.ts';

const REQUEST = { cmd: ['true'] };
const MiB = 1024 * 1024;

let folder: string;
let server: Server;
let client: AgentClient;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-hostile-'));
});

afterEach(() => {
  client.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Whatever user code may put in the agent's place. */
async function agentThat(listener: RequestListener): Promise<AgentClient> {
  const path = join(folder, 'agent.sock');
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  client = new AgentClient({ kind: 'socket', path }, 'token');
  return client;
}

function endless(head: string, chunk: Buffer): RequestListener {
  return (_request, response) => {
    response.write(head);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
}

const signal = () => AbortSignal.timeout(20_000);

describe('an agent that answers without end', () => {
  const before = () => process.memoryUsage().rss;

  it('is cut off at 4 KiB of health', async () => {
    const agent = await agentThat(endless('', Buffer.alloc(MiB, ' ')));
    await expect(agent.health('n')).rejects.toThrow(AgentMisbehaved);
  });

  it('is cut off at 20 MiB of a result, and memory stays flat', async () => {
    const agent = await agentThat(endless('{"stdout": "', Buffer.alloc(MiB, 'x')));
    const rss = before();
    await expect(agent.exec(REQUEST, signal())).rejects.toThrow(/longer than/);
    expect(process.memoryUsage().rss - rss).toBeLessThan(200 * MiB);
  });

  it('is cut off at 1 MiB of a line', async () => {
    const agent = await agentThat(endless('data: ', Buffer.alloc(MiB, 'x')));
    const events = await agent.execStream(REQUEST, signal());
    await expect(Array.fromAsync(events)).rejects.toThrow(/a line is longer/);
  });

  it('is cut off at 16 MiB of a manifest', async () => {
    const agent = await agentThat(endless('{"files": [', Buffer.alloc(MiB, ' ')));
    await expect(agent.listFiles(signal())).rejects.toThrow(/longer than/);
  });

  it('is cut off at 64 KiB of a refusal', async () => {
    const agent = await agentThat((request, response) => {
      response.statusCode = 500;
      endless('', Buffer.alloc(MiB, 'x'))(request, response);
    });
    await expect(agent.removeFile('a', signal())).rejects.toThrow(/longer than/);
  });
});

describe('an agent that answers nonsense', () => {
  it.each([
    ['no JSON', '}{'],
    ['another shape', '{"exit_code": "0"}'],
    ['half an answer', '{"exit_code": 0, "stdout": "x"}'],
    ['an array', '[]'],
    ['nothing', ''],
  ])('is found out: %s', async (_title, body) => {
    const agent = await agentThat((_request, response) => response.end(body));
    await expect(agent.exec(REQUEST, signal())).rejects.toThrow(AgentMisbehaved);
    await expect(agent.health('n')).rejects.toThrow(AgentMisbehaved);
    await expect(agent.listFiles(signal())).rejects.toThrow(AgentMisbehaved);
  });

  it.each(['data: {"type": "bomb"}\n\n', 'data: x\n\n', ': silence\n\n'])(
    'is found out in a stream: %j',
    async (body) => {
      const agent = await agentThat((_request, response) => response.end(body));
      await expect(Array.fromAsync(await agent.execStream(REQUEST, signal()))).rejects.toThrow(
        AgentMisbehaved,
      );
    },
  );

  it('is found out by an exit code that is no number', async () => {
    const agent = await agentThat((_request, response) =>
      response.setHeader('X-Timed-Out', 'false').setHeader('X-Exit-Code', '0x1').end(),
    );
    await expect(agent.execBinary(REQUEST, signal())).rejects.toThrow(AgentMisbehaved);
  });

  it('is found out by a file without a size', async () => {
    const agent = await agentThat((_request, response) => {
      response.write('x');
      response.end();
    });
    await expect(agent.readFile('a', signal())).rejects.toThrow(AgentMisbehaved);
  });

  it('can not make the runtime speak of its own routes or codes', async () => {
    const agent = await agentThat((_request, response) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ code: 'QUOTA_EXCEEDED', message: 'pay up' }));
    });
    const failure = await agent.exec(REQUEST, signal()).catch((error) => error);
    expect(isBerthError(failure)).toBe(false);
    expect(failure).toBeInstanceOf(AgentMisbehaved);
  });

  it('may answer bytes that are not HTTP', async () => {
    const agent = await agentThat((request) => request.socket.end('\x00\xff not http\r\n\r\n'));
    await expect(agent.exec(REQUEST, signal())).rejects.toThrow(AgentUnreachable);
  });
});

describe('an agent that does not answer', () => {
  it('fails its health check within a second or so', async () => {
    const agent = await agentThat(() => undefined);
    const started = performance.now();
    await expect(agent.health('n')).rejects.toThrow(AgentUnreachable);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('that is not there never got the request', async () => {
    await agentThat(() => undefined);
    const nobody = new AgentClient({ kind: 'socket', path: join(folder, 'nobody.sock') }, 'token');
    const failure = await nobody.exec(REQUEST, signal()).catch((error) => error);
    expect(failure).toBeInstanceOf(AgentUnreachable);
    expect(failure.mayHaveArrived).toBe(false);
  });

  it('that hangs up in the middle may have got it', async () => {
    const agent = await agentThat((request) => request.socket.destroy());
    const failure = await agent.exec(REQUEST, signal()).catch((error) => error);
    expect(failure).toBeInstanceOf(AgentUnreachable);
    expect(failure.mayHaveArrived).toBe(true);
  });

  it.each(['101 Switching Protocols', '103 Early Hints'])(
    'that says %s and no more is not waited for',
    async (status) => {
      const agent = await agentThat((request) =>
        request.socket.end(`HTTP/1.1 ${status}\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`),
      );
      await expect(agent.exec(REQUEST, signal())).rejects.toThrow(AgentUnreachable);
      await expect(agent.health('n')).rejects.toThrow(AgentUnreachable);
    },
  );

  it('that stops in the middle of a file is told as unreachable', async () => {
    const agent = await agentThat((_request, response) => {
      response.setHeader('Content-Length', 100);
      response.write('half', () => response.destroy());
    });
    const { content } = await agent.readFile('a', signal());
    await expect(Array.fromAsync(content)).rejects.toThrow(AgentUnreachable);
  });
});
