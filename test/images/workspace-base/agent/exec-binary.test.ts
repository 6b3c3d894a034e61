import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());

const run = (script: string, more: object = {}) =>
  agent.call('POST', '/exec/binary', { body: { cmd: ['sh', '-c', script], ...more } });

describe('/exec/binary', () => {
  it('answers with the very bytes of stdout, whatever they are', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const octal = Array.from(all, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const { status, headers, body } = await run(`printf '${octal}'; echo noise >&2; exit 7`);
    expect(status).toBe(200);
    expect(body).toEqual(all);
    expect(headers).toMatchObject({ 'x-exit-code': '7', 'x-timed-out': 'false', 'content-length': '256' });
  });

  it('answers with nothing for a command that says nothing', async () => {
    const { body, headers } = await run('true');
    expect([body.length, headers['x-exit-code']]).toEqual([0, '0']);
  });

  it('keeps the headers up to 1 MiB exactly', async () => {
    const { body, headers, trailers } = await run('head -c 1048576 /dev/urandom; exit 4');
    expect([body.length, headers['x-exit-code'], trailers]).toEqual([1024 * 1024, '4', {}]);
  });

  it('streams more than that and tells the end in trailers', async () => {
    const sum = 'head -c 5000000 /dev/urandom | tee bytes; exit 5';
    const { body, headers, trailers } = await run(sum);
    expect(headers).not.toHaveProperty('x-exit-code');
    expect(headers.trailer).toContain('X-Exit-Code');
    expect(trailers).toEqual({ 'x-exit-code': '5', 'x-timed-out': 'false' });
    const { stdout } = await agent.exec({ cmd: ['sha256sum', 'bytes'] });
    expect(createHash('sha256').update(body).digest('hex')).toBe(stdout.split(' ')[0]);
  });

  it('tells a timeout, with what there was', async () => {
    const small = await run('printf abc; sleep 60', { timeout: 0.3 });
    expect([small.body.toString(), small.headers['x-timed-out']]).toEqual(['abc', 'true']);
    expect(small.headers).not.toHaveProperty('x-exit-code');
    const large = await run('head -c 2000000 /dev/zero; sleep 60', { timeout: 0.5 });
    expect([large.body.length, large.trailers]).toEqual([
      2_000_000,
      { 'x-timed-out': 'true', 'x-signal': 'SIGTERM' },
    ]);
  });

  it('holds a command back while nobody reads, and kills it when the reader leaves', async () => {
    const res = await agent.open('POST', '/exec/binary', {
      body: { cmd: ['sh', '-c', 'echo $$ >pid; exec yes'] },
    });
    await once(res, 'readable');
    const before = agent.anonymousMemory();
    const pid = Number((await agent.exec({ cmd: ['cat', 'pid'] })).stdout);
    // `yes` waits for room in its pipe (state S) as soon as everything between is full.
    await expect.poll(() => agent.children(), { timeout: 5_000 }).toContainEqual({ pid, state: 'S' });
    expect(agent.anonymousMemory() - before).toBeLessThan(20_000);
    res.destroy();
    await expect.poll(() => agent.children().map((child) => child.pid)).not.toContain(pid);
  });
});
