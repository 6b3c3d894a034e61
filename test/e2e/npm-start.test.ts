import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('npm start', () => {
  it('serves on the embedded default, prints address and key, and stops with npm', async () => {
    const data = mkdtempSync(join(tmpdir(), 'berth-'));
    const child = spawn('npm', ['start', '--silent'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DOCKER_HOST: 'unix:///nowhere.sock',
        PORT: '0',
        BERTH_DATA_DIR: data,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let printed = '';
    for await (const line of createInterface({ input: child.stdout })) {
      printed += `${line}\n`;
      if (line.includes('/docs')) break;
    }
    const url = /BERTH_URL=(\S+)/.exec(printed)?.[1];
    const key = /BERTH_API_KEY=(\S+)/.exec(printed)?.[1];
    expect(printed).toContain('on process');
    expect(key).toBe(readFileSync(join(data, 'dev-key'), 'utf8').trim());
    const answer = await fetch(`${url}/v1/conversations/first/exec`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ cmd: ['echo', 'hello'] }),
    });
    expect(await answer.json()).toMatchObject({ exit_code: 0, stdout: 'hello\n' });
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    rmSync(data, { recursive: true });
  });
});
