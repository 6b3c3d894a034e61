import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningAgent } from './running-agent.ts';

// A workspace of 1 MiB, in a mount namespace of the agent's own.
const SMALL = 'mount -t tmpfs -o size=1m none "$AGENT_WORKSPACE" && exec "$@"';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start({}, ['unshare', '--map-root-user', '--mount', 'sh', '-c', SMALL, 'sh']);
});
afterAll(() => agent.stop());

describe('a full workspace', () => {
  it('is told as such, leaves the old file and no remains of the new', async () => {
    await agent.call('PUT', '/files/f', { body: 'old' });
    const body = Buffer.alloc(3 * 1024 * 1024);
    const { status, json } = await agent.call('PUT', '/files/f', { body });
    expect([status, json.code]).toEqual([507, 'DISK_FULL']);
    expect((await agent.call('GET', '/files/f')).body.toString()).toBe('old');
    expect((await agent.sh('ls -A; df --output=used . | tail -1')).stdout.split(/\s+/)).toEqual([
      'f',
      '4',
      '',
    ]);
  });

  it('is told as such for an archive', async () => {
    const script = 'cd "$TMPDIR" && head -c 3000000 /dev/zero >big && tar -c big';
    const archive = await agent.call('POST', '/exec/binary', { body: { cmd: ['sh', '-c', script] } });
    const { status, json } = await agent.call('PUT', '/files.tar', { body: archive.body });
    expect([status, json.code]).toEqual([507, 'DISK_FULL']);
    expect((await agent.sh('ls -A')).stdout).toBe('f\n');
  });
});
