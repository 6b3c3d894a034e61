import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AttachedTerminal, Berth, type TerminalEvent } from '../../../runtime/client/index.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { PATIENCE } from '../../support/terminal-viewer.ts';
import { settingOfFile } from './client-setting.ts';

const setting = settingOfFile();
const LONG = { timeout: 120_000 };

/** Reads a terminal on and on, and keeps what it tells. */
class Reading {
  readonly events: TerminalEvent[] = [];
  readonly over: Promise<unknown>;

  constructor(attached: AttachedTerminal) {
    this.over = (async () => {
      for await (const event of attached) this.events.push(event);
    })().catch((error: unknown) => error);
  }

  get text(): string {
    return Buffer.concat(
      this.events.flatMap((event) => (event.type === 'output' ? [event.bytes] : [])),
    ).toString();
  }

  async sees(what: RegExp): Promise<void> {
    await vi.waitFor(() => expect(this.text).toMatch(what), PATIENCE);
  }
}

describe('a terminal, by the client', () => {
  let relay: CuttableRelay;
  const direct = () => new Berth({ url: setting().runtime.url, key: setting().key, backoffMs: 1 });
  /** By way of a line that can be cut. */
  const client = () =>
    new Berth({ url: `http://127.0.0.1:${relay.port}`, key: setting().key, backoffMs: 50, retries: 40 });
  beforeAll(async () => {
    const { hostname, port } = new URL(setting().runtime.url);
    relay = await CuttableRelay.open({ host: hostname, port: Number(port) });
  });
  afterAll(() => relay[Symbol.asyncDispose]());

  it('is made, typed into, resized, listed and read to its end', LONG, async () => {
    const { terminals } = direct().conversation('shell');
    const { terminal_id, status } = await terminals.create({ cols: 90, rows: 20 });
    expect(status).toBe('running');
    const attached = terminals.attach(terminal_id);
    attached.write('echo "size $(stty size)"\n'); // before there is a connection
    const reading = new Reading(attached);
    await reading.sees(/size 20 90\r\n/);
    attached.resize(91, 21);
    attached.write(new TextEncoder().encode('echo "size $(stty size)"; exit 4\n'));
    expect(await reading.over).toBeUndefined();
    expect(reading.text).toMatch(/size 21 91\r\n/);
    expect(reading.events.at(-1)).toEqual({ type: 'exit', exit_code: 4 });
    expect(await terminals.list()).toMatchObject([{ terminal_id, status: 'exited', exit_code: 4 }]);
    await terminals.end(terminal_id);
    expect(await terminals.list()).toEqual([]);
  });

  it('is whole over lines that are cut, and keeps its size', LONG, async () => {
    const script = 'read go; for i in $(seq 400); do echo "line $i"; sleep 0.01; done; stty size; read end';
    const { terminals } = client().conversation('cut');
    const { terminal_id } = await terminals.create({ cmd: ['bash', '-c', script] });
    const attached = terminals.attach(terminal_id);
    const reading = new Reading(attached);
    attached.resize(70, 17);
    attached.write('go\n');
    for (const line of [20, 120, 220]) {
      await reading.sees(new RegExp(`line ${line}\\r\\n`));
      relay.cut();
      relay.restore();
    }
    await reading.sees(/line 400\r\n17 70\r\n/);
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1}\r\n`).join('');
    expect(reading.text).toBe(`go\r\n${lines}17 70\r\n`);
    expect(attached.position).toBe(reading.text.length);
    relay.cut();
    await vi.waitFor(() => expect(relay.connections).toBe(0), PATIENCE);
    attached.write('\n'); // waits for the next connection
    relay.restore();
    expect(await reading.over).toBeUndefined();
    expect(reading.events.at(-1)).toEqual({ type: 'exit', exit_code: 0 });
  });

  it('is let go of by whoever leaves, and is there for the next', LONG, async () => {
    const { terminals } = direct().conversation('left');
    const { terminal_id } = await terminals.create({ cmd: ['cat'] });
    const first = terminals.attach(terminal_id);
    first.write('one\n');
    for await (const event of first) {
      if (event.type === 'output' && first.position >= 'one\r\none\r\n'.length) break;
    }
    const second = terminals.attach(terminal_id, { after: first.position });
    const reading = new Reading(second);
    second.write('two\n');
    await reading.sees(/^two\r\ntwo\r\n$/);
    second.close();
    expect(await reading.over).toBeUndefined();
    const left = new AbortController();
    const third = new Reading(terminals.attach(terminal_id, { signal: left.signal }));
    await third.sees(/^one\r\none\r\ntwo\r\ntwo\r\n$/);
    left.abort();
    expect(await third.over).toMatchObject({ code: 'ABORTED' });
  });

  it('that is not there, or not theirs, is told as it is', LONG, async () => {
    const { terminals } = direct().conversation('none');
    const missing = `tm-${'0'.repeat(24)}`;
    expect(await new Reading(terminals.attach(missing)).over).toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    });
    const { terminal_id } = await terminals.create({ cmd: ['cat'] });
    expect(await new Reading(terminals.attach(missing)).over).toMatchObject({
      code: 'TERMINAL_NOT_FOUND',
      status: 404,
    });
    const stranger = new Berth({ url: setting().runtime.url, key: 'berth_none', backoffMs: 1 });
    const theirs = stranger.conversation('none').terminals.attach(terminal_id);
    expect(await new Reading(theirs).over).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    const attached = terminals.attach(terminal_id);
    attached.write('here\n');
    const reading = new Reading(attached);
    await reading.sees(/here\r\nhere\r\n/);
    await direct().conversation('none').delete({ purge: true });
    expect(await reading.over).toMatchObject({ code: 'TERMINAL_NOT_FOUND' });
  });

  it('wants a WebSocket of whoever has none', LONG, async () => {
    const webSocket = () => {
      throw new Error('none here');
    };
    const berth = new Berth({ url: setting().runtime.url, key: setting().key, retries: 0, webSocket });
    expect(await new Reading(berth.conversation('x').terminals.attach('tm-0')).over).toMatchObject({
      code: 'CONNECTION_FAILED',
      detail: expect.stringContaining('none here'),
    });
  });
});
