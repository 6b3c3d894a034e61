import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { engineAnswers } from '../../../images/builder/engine.ts';
import { endRecorded, isAlive, type ProcessRecord } from './daemon.ts';
import { describeWith, dockerd } from './provided.ts';

const program = fileURLToPath(new URL('../fixtures/join-engine.ts', import.meta.url));

// In a network namespace of its own: another engine's bridge and iptables chains are out of its reach.
describeWith('dockerd', 'the engine of the runs', () => {
  vi.setConfig({ testTimeout: 120_000 });
  let folder: string;
  let namespace: ChildProcess;
  const users: ChildProcess[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-engine-'));
    namespace = spawn('unshare', ['--net', 'sh', '-c', 'echo; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (namespace.stdout !== null) await once(namespace.stdout, 'data');
  });

  afterEach(async () => {
    for (const user of users.splice(0)) user.kill('SIGKILL');
    await endRecorded(join(folder, 'dockerd.process.json'));
    namespace.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const joinEngine = async (): Promise<{ user: ChildProcess; host: string }> => {
    const args = [`--net=/proc/${namespace.pid}/ns/net`, process.execPath, program];
    const user = spawn('nsenter', [...args, dockerd().path, folder, join(folder, 'data')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    users.push(user);
    const [host] = await once(createInterface({ input: user.stdout }), 'line');
    return { user, host };
  };

  const record = (): ProcessRecord => JSON.parse(readFileSync(join(folder, 'dockerd.process.json'), 'utf8'));

  const end = async (user: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    user.kill(signal);
    await once(user, 'exit');
  };

  it('is shared by two, and stopped by the last', async () => {
    const first = await joinEngine();
    const second = await joinEngine();
    expect(second.host).toBe(first.host);
    const running = record();
    await end(first.user, 'SIGTERM');
    expect(await engineAnswers(second.host)).toBe(true);
    expect(record()).toEqual(running);
    await end(second.user, 'SIGTERM');
    expect(await engineAnswers(second.host)).toBe(false);
    expect(isAlive(running)).toBe(false);
  });

  it('is started anew when its only user was killed', async () => {
    const first = await joinEngine();
    const stale = record();
    await end(first.user, 'SIGKILL');
    expect(await engineAnswers(first.host)).toBe(true);
    const second = await joinEngine();
    expect(isAlive(stale)).toBe(false);
    const fresh = record();
    expect(isAlive(fresh)).toBe(true);
    await end(second.user, 'SIGTERM');
    expect(isAlive(fresh)).toBe(false);
  });

  it('is started anew when it was killed itself', async () => {
    const first = await joinEngine();
    process.kill(record().pid, 'SIGKILL');
    await end(first.user, 'SIGKILL');
    const second = await joinEngine();
    expect(await engineAnswers(second.host)).toBe(true);
    await end(second.user, 'SIGTERM');
  });
});
