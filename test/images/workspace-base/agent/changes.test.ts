import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeEach(async () => {
  agent = await RunningAgent.start();
});
afterEach(() => agent.stop());

const inside = (path: string) => join(agent.root, path);

/** A client that listens for changes. */
class Listener {
  readonly #stream: IncomingMessage;
  #seen = '';

  constructor(stream: IncomingMessage) {
    this.#stream = stream.setEncoding('utf8').on('data', (text) => {
      this.#seen += text;
    });
    stream.on('error', () => {});
  }

  static async open(query = ''): Promise<Listener> {
    return new Listener(await agent.open('GET', `/files/changes${query}`));
  }

  /** How many events of a type have come so far. */
  count(type: 'changed' | 'overflow'): number {
    return this.#seen.split(`event: ${type}\ndata: {"type":"${type}"}\n\n`).length - 1;
  }

  /** Acts, and waits for a change to be told after that. */
  async hears(act: () => void): Promise<void> {
    const before = this.count('changed');
    act();
    await expect.poll(() => this.count('changed'), { timeout: 25_000 }).toBeGreaterThan(before);
    await this.silence();
  }

  /** Waits until nothing more has come for longer than changes are gathered. */
  async silence(): Promise<void> {
    for (let last = ''; last !== this.#seen; ) {
      last = this.#seen;
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  }

  close(): void {
    this.#stream.destroy();
  }
}

describe('/files/changes', () => {
  it('tells of files made, written, renamed, chmodded and removed, at any depth', async () => {
    mkdirSync(inside('deep/er'), { recursive: true });
    const listener = await Listener.open();
    await listener.hears(() => writeFileSync(inside('a'), 'x'));
    await listener.hears(() => writeFileSync(inside('deep/er/b'), 'x'));
    await listener.hears(() => writeFileSync(inside('deep/er/b'), 'y'));
    await listener.hears(() => renameSync(inside('deep/er/b'), inside('deep/c')));
    await listener.hears(() => rmSync(inside('deep/c')));
    listener.close();
  });

  it('watches folders that are made, moved, and made again under the same name', async () => {
    const listener = await Listener.open();
    await listener.hears(() => mkdirSync(inside('new/er'), { recursive: true }));
    await listener.hears(() => writeFileSync(inside('new/er/a'), 'x'));
    await listener.hears(() => renameSync(inside('new'), inside('moved')));
    await listener.hears(() => writeFileSync(inside('moved/er/a'), 'y'));
    await listener.hears(() => {
      rmSync(inside('moved'), { recursive: true });
      mkdirSync(inside('moved/er'), { recursive: true });
    });
    await listener.hears(() => writeFileSync(inside('moved/er/b'), 'x'));
    listener.close();
  });

  it('tells many changes at once as few events', async () => {
    const listener = await Listener.open();
    await listener.hears(() => {
      for (let number = 0; number < 500; number += 1) writeFileSync(inside(`f${number}`), 'x');
    });
    expect(listener.count('changed')).toBeLessThan(10);
    listener.close();
  });

  it('is silent about names that are excluded', async () => {
    const listener = await Listener.open('?exclude=node_modules&exclude=*.pyc');
    mkdirSync(inside('node_modules'));
    writeFileSync(inside('node_modules/x'), 'x');
    writeFileSync(inside('a.pyc'), 'x');
    await listener.silence();
    expect(listener.count('changed')).toBe(0);
    await listener.hears(() => writeFileSync(inside('a.py'), 'x'));
    listener.close();
  });

  it('says so when there are too many folders to watch, and still finds changes', async () => {
    expect(await agent.sh('seq 1 4200 | xargs mkdir')).toMatchObject({ exit_code: 0 });
    const listener = await Listener.open();
    await expect.poll(() => listener.count('overflow'), { timeout: 20_000 }).toBe(1);
    await listener.hears(() => writeFileSync(inside('4200/x'), 'x'));
    listener.close();
  });

  it('ends its watches when the listener leaves', async () => {
    mkdirSync(inside('a/b/c'), { recursive: true });
    const before = await watches();
    const listener = await Listener.open();
    expect(await watches()).toBe(before + 4);
    listener.close();
    await expect.poll(watches).toBe(before);
  });
});

/** How many directories the agent watches, as the kernel tells. */
async function watches(): Promise<number> {
  const { stdout } = await agent.sh(`cat /proc/${agent.pid}/fdinfo/* | grep -c ^inotify`);
  return Number(stdout);
}
