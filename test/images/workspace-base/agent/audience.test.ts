import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Audience } from '../../../../images/workspace-base/agent/executions/audience.ts';
import { EventLog } from '../../../../images/workspace-base/agent/executions/event-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-audience-'));
const socketPath = join(folder, 'socket'); // which, unlike TCP, never takes megabytes unread
const server = createServer((_req, res) => audience.attach(res, 0));
beforeAll(async () => {
  server.listen(socketPath);
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

let log: EventLog;
let audience: Audience;
let releases: number;
beforeEach(() => {
  log = new EventLog();
  releases = 0;
  audience = new Audience(log, () => {
    releases += 1;
  });
});

/** A reader that has not begun to read. */
async function attend(): Promise<IncomingMessage> {
  const [res] = await once(get({ socketPath }), 'response');
  return res;
}

const EVENT = JSON.stringify({ type: 'text_delta', text: 'x'.repeat(4000) });

/** Says events until the runner is to wait; returns how many bytes that were. */
async function sayUntilHeld(): Promise<number> {
  for (let said = 1; said <= 10_000; said += 1) {
    log.append('text_delta', EVENT);
    if (!audience.tell()) return said * EVENT.length;
    if (said % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the runner was never held up');
}

describe('a runner that is held up', () => {
  it('goes on when its reader has taken enough', async () => {
    const reader = await attend();
    await sayUntilHeld();
    expect(releases).toBe(0);
    reader.resume();
    await expect.poll(() => releases).toBe(1);
    expect(audience.tell()).toBe(true);
    reader.destroy();
  });

  it('goes on at once when its reader leaves', async () => {
    const reader = await attend();
    await sayUntilHeld();
    const since = performance.now();
    reader.destroy();
    await expect.poll(() => releases, { interval: 5 }).toBe(1);
    expect(performance.now() - since).toBeLessThan(1_500);
    expect(audience.tell()).toBe(true);
  });

  it('goes on when its reader has taken nothing for two seconds', async () => {
    const reader = await attend();
    const since = performance.now();
    await sayUntilHeld();
    await expect.poll(() => releases, { timeout: 10_000 }).toBe(1);
    expect(performance.now() - since).toBeGreaterThan(1_950);
    reader.destroy();
  });

  it('was held up well before anything fell out for that reader', async () => {
    const reader = await attend();
    await sayUntilHeld();
    reader.setEncoding('utf8');
    let text = '';
    reader.on('data', (piece: string) => {
      text += piece;
    });
    await expect.poll(() => releases).toBe(1);
    log.close('done', '{"type":"done","subtype":"success"}');
    audience.tell();
    await once(reader, 'end');
    expect(text).not.toContain('event: gap');
    expect(text.split('\n\n').length - 1).toBe(log.last);
  });
});

describe('a reader', () => {
  it('that has left before it is attached is no reader', async () => {
    const gone = Promise.withResolvers<ServerResponse>();
    const otherPath = join(folder, 'other');
    const early = createServer((_req, res) => {
      res.on('close', () => gone.resolve(res));
      res.destroy();
    }).listen(otherPath);
    await once(early, 'listening');
    get({ socketPath: otherPath }).on('error', () => {});
    audience.attach(await gone.promise, 0);
    await expect(sayUntilHeld()).rejects.toThrow('never held up');
    early.close();
  });
});
