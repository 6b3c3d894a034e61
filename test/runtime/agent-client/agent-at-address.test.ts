import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { AgentClient } from '../../../runtime/agent-client/agent-client.ts';
import { AgentMisbehaved, AgentUnreachable } from '../../../runtime/agent-client/agent-failures.ts';
import {
  agentWith,
  answerOf,
  atEnd,
  HOST,
  healthFor,
  impostorThat,
  TOKEN,
} from './whoever-has-the-address.ts';

const SECRET_WORK = 'canary-of-the-body';

const clientOf = (port: number): AgentClient => {
  const client = new AgentClient({ kind: 'address', host: HOST, port }, TOKEN);
  atEnd(() => client.close());
  return client;
};
const signal = () => AbortSignal.timeout(10_000);

describe('an agent at an address', () => {
  it('is given work down the very connection that it proved, and does not prove that one again', async () => {
    const { port, connections } = await agentWith(TOKEN);
    const client = clientOf(port);

    const request = { cmd: ['echo', SECRET_WORK] };
    expect((await client.exec(request, signal())).stdout).toBe(JSON.stringify(request));
    await client.exec(request, signal());
    await client.exec(request, signal());
    expect(connections).toEqual([['GET /health', 'POST /exec', 'POST /exec', 'POST /exec']]);
  });

  it('proves each connection of several', async () => {
    const { port, connections } = await agentWith(TOKEN);
    const client = clientOf(port);
    await Promise.all(Array.from({ length: 3 }, () => client.exec({ cmd: ['true'] }, signal())));

    expect(connections).toEqual(Array.from({ length: 3 }, () => ['GET /health', 'POST /exec']));
  });

  it('proves a connection anew after the one before broke', async () => {
    const { port, connections, server } = await agentWith(TOKEN);
    const client = clientOf(port);
    await client.exec({ cmd: ['true'] }, signal());
    server.closeAllConnections();
    // The client learns of it a moment later; until then a call may go down the broken one.
    await vi.waitFor(() => client.exec({ cmd: ['true'] }, signal()));

    expect(connections.at(-1)).toEqual(['GET /health', 'POST /exec']);
  });

  it('that is another’s by now gets neither the token nor the work', async () => {
    const { port, received } = await impostorThat((request, socket) =>
      socket.write(answerOf(JSON.stringify(healthFor(request, 'another')))),
    );
    const client = clientOf(port);
    const body = Readable.from([SECRET_WORK]);

    await expect(client.exec({ cmd: [SECRET_WORK] }, signal())).rejects.toThrow(AgentMisbehaved);
    await expect(client.writeFile('file', body, signal())).rejects.toThrow(AgentMisbehaved);
    await expect(client.health('n')).rejects.toThrow(AgentMisbehaved);
    expect(received).toHaveLength(3);
    expect(received.join()).not.toMatch(/canary|authorization|exec/i);
    // What never left can go elsewhere.
    expect(await text(body)).toBe(SECRET_WORK);
  });

  it('that became another’s while connections were kept gets nothing on a new one', async () => {
    const first = await agentWith(TOKEN);
    const client = clientOf(first.port);
    await client.exec({ cmd: ['true'] }, signal());
    first.server.close();
    first.server.closeAllConnections();
    await once(first.server, 'close');
    const second = await agentWith('token-of-another-container');
    second.server.close();
    await once(second.server, 'close');
    second.server.listen(first.port, HOST);
    await once(second.server, 'listening');

    await vi.waitFor(() =>
      expect(client.exec({ cmd: [SECRET_WORK] }, signal())).rejects.toThrow(AgentMisbehaved),
    );
    expect(second.connections.flat()).not.toContain('POST /exec');
  });

  it('that does not answer has provably not got the work', async () => {
    const { port } = await impostorThat((_request, socket) => socket.end());
    const failure = await clientOf(port)
      .exec({ cmd: ['true'] }, signal())
      .catch((error) => error);

    expect(failure).toBeInstanceOf(AgentUnreachable);
    expect(failure.mayHaveArrived).toBe(false);
  });

  it('gets nothing of a call that was given up before it proved', async () => {
    const proofs: (() => void)[] = [];
    const { port, received } = await impostorThat((request, socket) => {
      proofs.push(() => socket.write(answerOf(JSON.stringify(healthFor(request)))));
    });
    const giveUp = new AbortController();
    const call = clientOf(port).exec({ cmd: [SECRET_WORK] }, giveUp.signal);
    const failure = expect(call).rejects.toThrow('given up');
    await vi.waitFor(() => expect(proofs).toHaveLength(1));
    giveUp.abort(new Error('given up'));
    for (const prove of proofs) prove();
    await failure;

    expect(received.join()).not.toMatch(/canary|authorization|exec/i);
  });

  it('is not waited for by a call that is given up', async () => {
    const { port, received } = await impostorThat(() => {});
    const client = clientOf(port);
    for (const early of [true, false]) {
      const giveUp = new AbortController();
      const call = client.exec({ cmd: ['true'] }, giveUp.signal);
      const failure = expect(call).rejects.toThrow('given up');
      if (!early) await vi.waitFor(() => expect(received.at(-1)).toContain('GET /health'));
      const began = performance.now();
      giveUp.abort(new Error('given up'));
      await failure;
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});
