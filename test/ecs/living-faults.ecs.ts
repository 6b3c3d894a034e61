import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { hashApiKey } from '../../runtime/access/api-key.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { allEvents } from '../support/event-reading.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { cutOff, taskOf } from './ecs-cluster.ts';
import { ecsEnv, liveTasks, startEcs } from './ecs-on-docker.ts';

const HIDDEN_MS = 30_000;

describeWith(['docker', 'workspace-base-image', 'proxy-sidecar-image'], 'when a task breaks', () => {
  let emulator: EcsEmulator;
  let runtime: RuntimeProcess;
  beforeAll(async () => {
    // Between its end and that of its other containers a program has time for mischief.
    emulator = await startEcs({ delays: { deactivating: 4000 } });
    runtime = await RuntimeProcess.start({
      env: { ...ecsEnv(emulator), HEALTH_CHECK_INTERVAL_SECONDS: '2', GC_INTERVAL_SECONDS: '1' },
    });
  });
  afterAll(async () => {
    await runtime[Symbol.asyncDispose]();
    await emulator[Symbol.asyncDispose]();
  });

  const execute = (conversation: string, input: string) =>
    runtime.post(`/v1/conversations/${conversation}/execute`, { user_input: input, model: 'code/bash' });

  it('its agent dies under an execution: an error ends the stream, and the files of before are in the next', async () => {
    await runtime.fetch('/v1/conversations/dies/files/kept?durable=true', { method: 'PUT', body: 'kept' });
    const answer = await execute('dies', 'echo up; sleep 60');
    const task = await taskOf(emulator, runtime, 'dies');
    await emulator.killContainer(task.arn, 'workspace-agent');
    const events = await allEvents(answer);
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(await runtime.exec('dies', ['cat', 'kept'])).toMatchObject({ stdout: 'kept' });
    expect((await taskOf(emulator, runtime, 'dies')).arn).not.toBe(task.arn);
  });

  it('it is stopped from outside, as Spot does: the next call gets another', async () => {
    await runtime.exec('spot', ['true']);
    const task = await taskOf(emulator, runtime, 'spot');
    emulator.stopFromOutside(task.arn);
    await vi.waitFor(() => expect(task.status).toBe('STOPPED'), 20_000);
    expect(await runtime.exec('spot', ['echo', 'fresh'])).toMatchObject({ stdout: 'fresh\n' });
    expect((await taskOf(emulator, runtime, 'spot')).arn).not.toBe(task.arn);
  });

  it("its address is another tenant's by now: who has it gets nothing, and its owner gets another", async () => {
    const keys = ['acme', 'bolt'].map((tenant) => {
      return { name: tenant, tenant, scope: 'use', sha256: hashApiKey(tenant) };
    });
    // One that does not look at its containers' health meanwhile.
    await using patient = await RuntimeProcess.start({
      env: { ...ecsEnv(emulator), BERTH_API_KEYS: JSON.stringify(keys) },
    });
    // Both call theirs by the same name.
    const of = (key: string) => ({
      async exec(...cmd: string[]) {
        const answer = await patient.post('/v1/conversations/ours/exec', { cmd }, { key });
        return answer.json() as Promise<Record<string, unknown>>; // the cast: tests look at answers of any shape
      },
      task: () => taskOf(emulator, patient, 'ours', { key }),
    });
    const [first, heir] = [of('acme'), of('bolt')];
    await first.exec('touch', 'mine');
    const task = await first.task();
    const { address } = task.attachment;
    emulator.reuseAddresses();
    emulator.stopFromOutside(task.arn);
    await vi.waitFor(() => expect(task.status).toBe('STOPPED'), { timeout: 20_000, interval: 10 });
    await heir.exec('touch', 'theirs');
    const inherited = await heir.task();
    emulator.reuseAddresses(false);
    expect(inherited.attachment.address).toBe(address);
    const moved = await first.exec('touch', 'secret-of-the-first');
    expect(moved).toSatisfy((result) => result.exit_code === 0 || result.code === 'CONTAINER_CRASHED');
    expect(await first.exec('true')).toMatchObject({ exit_code: 0 });
    expect((await first.task()).attachment.address).not.toBe(address);
    expect(await heir.exec('ls')).toMatchObject({ stdout: 'theirs\n' });
    expect((await heir.task()).arn).toBe(inherited.arn);
  });

  // The last three wait for most of their time; each has a runtime or a conversation of its own.

  it.concurrent('its network goes away under an execution: found out, and the next call gets another', async () => {
    await using patient = await RuntimeProcess.start({ env: ecsEnv(emulator) });
    const answer = await patient.post('/v1/conversations/cut/execute', {
      user_input: 'echo up; sleep 300',
      model: 'code/bash',
    });
    const task = await taskOf(emulator, patient, 'cut');
    await cutOff(task.arn);
    const events = await allEvents(answer);
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(await patient.exec('cut', ['echo', 'fresh'])).toMatchObject({ stdout: 'fresh\n' });
    expect((await taskOf(emulator, patient, 'cut')).arn).not.toBe(task.arn);
  });

  it.concurrent('lists miss it for 30 s: it lives on, with its conversation', async () => {
    await runtime.exec('unseen', ['touch', 'kept']);
    const task = await taskOf(emulator, runtime, 'unseen');
    emulator.hideFromLists(task.arn, HIDDEN_MS);
    const until = performance.now() + HIDDEN_MS;
    const sweep = async () => (await runtime.post('/v1/sweep', {})).status;
    while (performance.now() < until) expect(await sweep()).toBe(200);
    expect(await sweep()).toBe(200); // which sees it again
    expect(await runtime.exec('unseen', ['ls'])).toMatchObject({ stdout: 'kept\n' });
    expect((await taskOf(emulator, runtime, 'unseen')).arn).toBe(task.arn);
  });

  it.concurrent('its sidecar is killed and its ports are taken: no secret is told there, and the container is replaced', async () => {
    const taker = `
import http.server, threading, time, sys
seen = open('/workspace/seen', 'ab', buffering=0)
class Taker(http.server.BaseHTTPRequestHandler):
    def any(self):
        seen.write(self.requestline.encode() + b' ' + self.rfile.read(int(self.headers.get('content-length') or 0)) + b'\\n')
        self.send_response(200); self.end_headers(); self.wfile.write(b'{}')
    do_GET = do_PUT = do_POST = any
    def log_message(self, *a): pass
def take(port):
    while True:
        try:
            server = http.server.ThreadingHTTPServer(('0.0.0.0', port), Taker)
            seen.write(b'took %d\\n' % port)
            server.serve_forever()
        except OSError: time.sleep(0.01)
for port in (8080, 8081): threading.Thread(target=take, args=(port,), daemon=True).start()
print('up', flush=True)
time.sleep(60)
`;
    // One that does not look at its containers' health meanwhile.
    await using patient = await RuntimeProcess.start({ env: ecsEnv(emulator) });
    const answer = await patient.post('/v1/conversations/taken/execute', { user_input: taker });
    const task = await taskOf(emulator, patient, 'taken');
    const read = () => patient.fetch('/v1/conversations/taken/files/seen');
    await vi.waitFor(async () => expect((await read()).status).toBe(200), 20_000);
    await emulator.killContainer(task.arn, 'proxy-sidecar');
    const secret = 'canary-header-4711';
    const servers = { tickets: { url: 'https://api.anthropic.com/x', headers: { 'X-Secret': secret } } };
    const put = () =>
      patient.fetch('/v1/conversations/taken/egress', {
        method: 'PUT',
        body: JSON.stringify({ mcp_servers: servers }),
        headers: { 'content-type': 'application/json' },
      });
    const seen = async () => (await read()).text();
    await vi.waitFor(async () => expect(await seen()).toContain('took 8081'), {
      timeout: 10_000,
      interval: 20,
    });
    const told = await put();
    expect(told.status).toBe(503);
    expect(await seen()).toContain('PUT /admin/state');
    expect(await seen()).not.toContain(secret);
    await answer.body?.cancel();
    // The task ends with its proxy; the conversation goes on in another, whose proxy has the rules.
    await vi.waitFor(() => expect(liveTasks(emulator).map(({ arn }) => arn)).not.toContain(task.arn), 30_000);
    // A call at the very moment of its end is told so, and tries again.
    await vi.waitFor(
      async () => expect(await patient.exec('taken', ['true'])).toMatchObject({ exit_code: 0 }),
      20_000,
    );
    expect((await taskOf(emulator, patient, 'taken')).arn).not.toBe(task.arn);
  });
});
