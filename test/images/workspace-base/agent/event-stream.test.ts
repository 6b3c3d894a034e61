import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventStream } from '../../../../images/workspace-base/agent/http/event-stream.ts';
import { attach, execute } from './execution-stream.ts';
import { RunningAgent } from './running-agent.ts';

const SILENCE_MS = 1_000;
let stream: EventStream;
const server = createServer((_req, res) => {
  stream = new EventStream(res, SILENCE_MS);
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

describe('a stream of events', () => {
  it('has a comment after a silence, and only then', async () => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    const [res] = await once(get({ port, host: '127.0.0.1' }), 'response');
    let text = '';
    res.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    const since = performance.now();
    const talking = setInterval(() => stream.send({ type: 'said' }), 20);
    await expect.poll(() => performance.now() - since, { timeout: 10_000 }).toBeGreaterThan(SILENCE_MS * 2);
    clearInterval(talking);
    expect(text).toMatch(/^(event: said\ndata: \{"type":"said"\}\n\n)+$/);
    await expect.poll(() => text.endsWith('\n\n:\n\n:\n\n'), { timeout: 10_000 }).toBe(true);
    stream.end();
    await once(res, 'end');
  });

  it('of an execution has one after 15 seconds', async () => {
    const agent = await RunningAgent.startForTest();
    const since = performance.now();
    const request = { execution_id: 'silent', user_input: 'import time; time.sleep(60)' };
    const streams = [await execute(agent, request), await attach(agent, 'silent')];
    const comments = () => streams.map((stream) => stream.comments);
    await expect.poll(comments, { timeout: 25_000 }).toEqual([1, 1]);
    expect(performance.now() - since).toBeGreaterThan(14_000);
  });
});
