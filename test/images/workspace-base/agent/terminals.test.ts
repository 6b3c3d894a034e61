import { connect, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { RunningAgent, TOKEN } from './running-agent.ts';

const ID = `tm-${'a'.repeat(24)}`;
const SIZE = { terminal_id: ID, cols: 80, rows: 24 };
const WAIT = { timeout: 30_000, interval: 20 };

/** A line as the runtime opens it, and all that has come over it. */
async function openLine(agent: RunningAgent, query = ''): Promise<{ socket: Socket; came: () => Buffer }> {
  const socket = connect(agent.socket);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  socket.write(
    `GET /terminals/${ID}/socket${query} HTTP/1.1\r\nHost: agent\r\nAuthorization: Bearer ${TOKEN}\r\n` +
      'Connection: Upgrade\r\nUpgrade: berth-terminal\r\n\r\n',
  );
  const came = () => Buffer.concat(chunks);
  await vi.waitFor(() => expect(came().length).toBeGreaterThan(0), WAIT);
  return { socket, came };
}

const frame = (type: number, payload: Buffer) =>
  Buffer.concat([Buffer.of(type, 0, 0, 0, payload.length), payload]);

describe('terminals of the agent', () => {
  it('want python3, and say so where there is none', async () => {
    const agent = await RunningAgent.startForTest({ PATH: '/nowhere' });
    const answer = await agent.call('POST', '/terminals', { body: SIZE });
    expect(answer.status).toBe(501);
    expect(answer.json).toMatchObject({ code: 'NOT_SUPPORTED', message: expect.stringContaining('python3') });
  });

  it.each([
    ['without an id', { cols: 80, rows: 24 }],
    ['with an id that leads elsewhere', { ...SIZE, terminal_id: '../x' }],
    ['of no size', { terminal_id: ID }],
    ['of a size that no screen has', { ...SIZE, cols: 65_536 }],
    ['with a command that is none', { ...SIZE, cmd: [] }],
    ['with a program that is not there', { ...SIZE, cmd: ['no-such-program'] }],
    ['with a program that may not run', { ...SIZE, cmd: ['/etc/passwd'] }],
    ['in a folder that is not there', { ...SIZE, cwd: 'nowhere' }],
  ])('%s are refused', async (_what, body) => {
    const agent = await RunningAgent.startForTest();
    expect((await agent.call('POST', '/terminals', { body })).status).toBe(400);
    expect((await agent.call('GET', '/terminals')).json).toEqual({ terminals: [] });
  });

  it('take frames of the runtime, and cut off whoever sends others', async () => {
    const agent = await RunningAgent.startForTest();
    expect((await agent.call('POST', '/terminals', { body: { ...SIZE, cmd: ['cat'] } })).status).toBe(201);
    expect((await agent.call('POST', '/terminals', { body: SIZE })).status).toBe(400); // the id is taken
    expect((await agent.call('GET', `/terminals/${ID}/socket`)).status).toBe(400);
    const wrong = [frame(9, Buffer.alloc(3)), frame(5, Buffer.alloc(3)), Buffer.of(4, 255, 255, 255, 255, 1)];
    for (const bytes of wrong) {
      const { socket } = await openLine(agent);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(bytes);
      await closed;
    }
    const { socket, came } = await openLine(agent);
    socket.write(frame(5, Buffer.of(0, 0, 255, 255))); // no size of a screen: passed over
    socket.write(frame(4, Buffer.from('hello\n')));
    await vi.waitFor(() => expect(came().toString()).toMatch(/hello\r\n.*hello\r\n/s), WAIT);
    for (const query of ['?after=x', '?after=99999', '?after=-1'])
      expect((await openLine(agent, query)).came().toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect((await agent.call('GET', '/terminals')).json.terminals).toMatchObject([{ cols: 80, rows: 24 }]);
  });

  it('end with the agent', async () => {
    const agent = await RunningAgent.startForTest();
    await agent.call('POST', '/terminals', {
      body: { ...SIZE, cmd: ['bash', '-c', 'trap "" HUP; echo $$; sleep 300'] },
    });
    const { came } = await openLine(agent);
    await vi.waitFor(() => expect(came().toString('latin1')).toMatch(/\d+\r\n$/), WAIT);
    const pid = Number(/(\d+)\r\n$/.exec(came().toString('latin1'))?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    agent.child.kill('SIGTERM');
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), WAIT);
  });
});
