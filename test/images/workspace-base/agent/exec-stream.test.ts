import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecEvent, ExecRequest } from '../../../../runtime/contracts/agent-protocol.ts';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());

const open = (request: ExecRequest) =>
  agent.open('POST', '/exec', { body: request, headers: { accept: 'text/event-stream' } });

function parseEvents(stream: string): ExecEvent[] {
  const blocks = stream.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const [, type, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    const event: ExecEvent = JSON.parse(data ?? 'null');
    expect(event.type).toBe(type);
    return event;
  });
}

async function stream(request: ExecRequest): Promise<ExecEvent[]> {
  return parseEvents(await text(await open(request)));
}

const textOf = (events: ExecEvent[], name: string): string =>
  events.map((event) => (event.type === 'output' && event.stream === name ? event.text : '')).join('');

describe('/exec as a stream', () => {
  it('sends output as it comes and then the end', async () => {
    const res = await open({
      cmd: ['sh', '-c', 'echo one; while [ ! -e go ]; do sleep 0.01; done; echo two >&2; exit 2'],
    });
    expect(res.headers['content-type']).toBe('text/event-stream');
    res.setEncoding('utf8');
    let seen = '';
    for await (const piece of res) {
      seen += piece;
      // The command waits for the file, so this piece came while it was running.
      if (seen.includes('one') && !seen.includes('two')) await agent.call('PUT', '/files/go', { body: '' });
    }
    expect(parseEvents(seen)).toEqual([
      { type: 'output', stream: 'stdout', text: 'one\n' },
      { type: 'output', stream: 'stderr', text: 'two\n' },
      { type: 'exit', exit_code: 2, timed_out: false, duration_ms: expect.any(Number) },
    ]);
  });

  it('tells a timeout and a signal', async () => {
    const timeout = await stream({ cmd: ['sh', '-c', 'echo a; sleep 60'], timeout: 0.3 });
    expect(timeout.at(-1)).toMatchObject({ type: 'exit', exit_code: null, timed_out: true });
    expect(textOf(timeout, 'stdout')).toBe('a\n');
    const killed = await stream({ cmd: ['sh', '-c', 'kill -USR1 $$'] });
    expect(killed.at(-1)).toMatchObject({
      type: 'exit',
      exit_code: null,
      signal: 'SIGUSR1',
      timed_out: false,
    });
  });

  it('caps nothing, and keeps each text within 64 KiB, also of bytes that are no UTF-8', async () => {
    const events = await stream({
      cmd: ['sh', '-c', 'yes € | head -c 3000000; head -c 300000 /dev/zero | tr "\\0" "\\377" >&2'],
    });
    const sizes = events.map((event) => (event.type === 'output' ? Buffer.byteLength(event.text) : 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
    expect(textOf(events, 'stdout')).toBe('€\n'.repeat(750_000));
    expect(textOf(events, 'stderr')).toBe('\ufffd'.repeat(300_000));
  });

  it('replaces half a character at the end', async () => {
    const events = await stream({ cmd: ['printf', 'a\\342\\202'] });
    expect(textOf(events, 'stdout')).toBe('a\ufffd');
  });
});
