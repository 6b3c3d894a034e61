import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
  await agent.sh('head -c 5000000 /dev/zero'); // what is allocated once and kept
});
afterAll(() => agent.stop());

/** The most memory that the agent is seen to have until something is over, in kB above what it has now. */
async function growthUntil(over: Promise<unknown>): Promise<number> {
  const before = agent.anonymousMemory();
  let [most, done] = [before, false];
  over.finally(() => {
    done = true;
  });
  while (!done) {
    most = Math.max(most, agent.anonymousMemory());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return most - before;
}

describe('endless output', () => {
  it('takes no more memory than what is kept of it', async () => {
    const result = agent.exec({ cmd: ['yes'], timeout: 1.5 });
    expect(await growthUntil(result)).toBeLessThan(30_000);
    expect(await result).toMatchObject({ timed_out: true, truncated: true });
  });

  it('takes none for a reader that has stopped reading, and the command waits', async () => {
    const body = { cmd: ['sh', '-c', 'echo $$; exec yes'], timeout: 60 };
    const res = await agent.open('POST', '/exec', { body, headers: { accept: 'text/event-stream' } });
    await once(res, 'readable');
    const pid = Number(/text":"(\d+)/.exec(String(res.read()))?.[1]);
    const waiting = expect
      .poll(() => agent.children(), { timeout: 5_000 })
      .toContainEqual({ pid, state: 'S' });
    expect(await growthUntil(waiting)).toBeLessThan(20_000);
    await waiting;

    // A reader that comes back gets more of it.
    let received = 0;
    const enough = Promise.withResolvers<void>();
    res.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > 50_000_000) enough.resolve();
    });
    expect(await growthUntil(enough.promise)).toBeLessThan(30_000);
    res.destroy();
    await expect.poll(() => agent.children(), { timeout: 5_000 }).toEqual([]);
  });

  it('of a background child is dropped without cost', async () => {
    const result = await agent.sh('yes & echo $!');
    const pid = Number(/^\d+$/m.exec(result.stdout)?.[0]);
    expect(result.exit_code).toBe(0);
    const written = () => Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
    const plenty = expect.poll(written, { timeout: 10_000 }).toBeGreaterThan(200_000_000);
    expect(await growthUntil(plenty)).toBeLessThan(20_000);
    await plenty;
    process.kill(pid, 'SIGKILL');
  });
});
