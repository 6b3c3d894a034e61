import type { Container } from 'dockerode';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { connectEngine } from '../../../images/builder/engine.ts';
import { describeWith, docker, editorImage } from '../../support/services/provided.ts';
import type { RunningEditor } from './running-editor.ts';
import { TerminalClient } from './terminal-client.ts';

describeWith(['docker', 'workspace-editor-image'], 'the editor in its image', () => {
  const engine = connectEngine(docker().host);
  const volume = `berth-test-editor-${process.pid}`;
  let container: Container;
  /** As `RunningEditor`, so far as a terminal's client needs it. */
  let editor: Pick<RunningEditor, 'port' | 'ask' | 'call'>;

  beforeAll(async () => {
    container = await engine.createContainer({
      Image: editorImage(),
      HostConfig: {
        Binds: [`${volume}:/home/coder`],
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 256,
        Memory: 512 * 1024 * 1024,
        PortBindings: { '8080/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
      },
    });
    await container.start();
    const port = Number((await container.inspect()).NetworkSettings.Ports['8080/tcp']?.[0]?.HostPort);
    const call: RunningEditor['call'] = (method, name, query = {}, init = {}) =>
      fetch(`http://127.0.0.1:${port}/api/${name}?${new URLSearchParams(query)}`, { ...init, method });
    editor = { port, call, ask: async (...request) => JSON.parse(await (await call(...request)).text()) };
    const healthz = `http://127.0.0.1:${port}/healthz`;
    await vi.waitFor(async () => expect((await fetch(healthz)).status).toBe(200), { timeout: 10_000 });
  });

  afterAll(async () => {
    await container.remove({ force: true });
    await engine.getVolume(volume).remove({ force: true });
  });

  it('is uid 1000 in its home on a volume, which begins with a welcome alone', async () => {
    const [terminal] = await TerminalClient.open(editor);
    terminal.type('echo "$(id -un) $(id -u) $(stat -c %u ~) $PWD [$(ls -A)] [$PORT$HOST]"\n');
    await terminal.sees('coder 1000 1000 /home/coder [welcome.md] []');
  });

  it('has its tools', async () => {
    const [terminal] = await TerminalClient.open(editor);
    terminal.type(
      'for t in git curl node npm python3 pip ps; do $t --version >/dev/null || echo no $t; done; echo all""-asked\n',
    );
    await terminal.sees('all-asked', 30_000);
    expect(terminal.shown).not.toMatch(/^no /m);
  });

  it('serves its page, saves a file, and keeps it', async () => {
    const page = await fetch(`http://127.0.0.1:${editor.port}/vendor/ace/mode-python.js`);
    expect(page.status).toBe(200);
    const init = { body: 'kept', headers: { 'if-none-match': '*' } };
    expect((await editor.call('PUT', 'file', { path: 'kept.txt' }, init)).status).toBe(201);
    expect(await (await editor.call('GET', 'text', { path: 'kept.txt' })).text()).toBe('kept');
  });

  it('ends at once when it is told to', async () => {
    await container.stop({ t: 20 });
    expect((await container.inspect()).State.ExitCode).toBe(0);
  });
});
