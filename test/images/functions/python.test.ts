import { describe, expect, it } from 'vitest';
import { RunningWorker } from './running-worker.ts';
import { type Handlers, workerContract } from './worker-contract.ts';

const untilReleased = `
import os, time
def released():
    while not os.path.exists("released"):
        time.sleep(0.005)
`;

const handlers: Handlers = {
  hello: 'def handler(request): return {"hello": request["name"]}',
  helloLater: `
import asyncio
async def handler(request):
    await asyncio.sleep(0.001)
    return {"hello": request["name"]}`,
  tellCall: `
def handler(request, call):
    return {"method": call.method, "path": call.path, "test": call.headers.get("x-test")}`,
  nothing: 'def handler(request): pass',
  text: 'def handler(request): return "plain ä"',
  bytes: 'def handler(request): return bytes([0, 255, 10])',
  stream: `${untilReleased}
def handler(request):
    yield "one"
    yield b""
    released()
    yield b"two"`,
  reply: `
def handler(request, call):
    return call.reply({"short": True}, status=418, headers={"x-kind": "tea"})`,
  fails: `
def handler(request):
    raise RuntimeError("no luck")`,
  failsToConnect: `
def handler(request):
    raise ConnectionRefusedError(111, "Connection refused")`,
  failsAtFirstPiece: `
def handler(request):
    raise RuntimeError("no luck")
    yield`,
  failsAtSecondPiece: `${untilReleased}
def handler(request):
    yield "one"
    released()
    raise RuntimeError("no luck")`,
  notJson: 'def handler(request): return {1, 2}',
  counts: `
raw = True
def handler(body):
    size = 0
    while piece := body.read(65536):
        size += len(piece)
    return {"bytes": size}`,
  waits: `${untilReleased}
def handler(request):
    print("began", flush=True)
    released()
    return "done"`,
  noticesDeparture: `
def handler(request, call):
    print("began", flush=True)
    call.gone.wait()
    print("noticed", flush=True)`,
  broken: 'def handler(',
  noFunction: 'handle = lambda request: 1',
};

describe('a function of Python', () => {
  workerContract('python', handlers, 'py');

  it('streams from an async generator, and cancels a coroutine when the caller has gone', async () => {
    const worker = await RunningWorker.start(
      'python',
      `
import asyncio
async def pieces():
    try:
        yield "one"
        await asyncio.sleep(600)
    finally:
        print("closed", flush=True)
async def handler(request):
    if "stream" in request:
        return pieces()
    print("began", flush=True)
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        print("cancelled", flush=True)
        raise`,
    );
    const leave = new AbortController();
    const call = worker.post('{}', { signal: leave.signal });
    await worker.untilItSays(/began/);
    const streamed = await worker.post('{"stream":1}', { signal: leave.signal });
    expect((await streamed.body?.getReader().read())?.value?.toString()).toBe('111,110,101');
    leave.abort();
    await expect(call).rejects.toThrow();
    await worker.untilItSays(/cancelled/);
    await worker.untilItSays(/closed/);
    expect(worker.output).not.toContain('Traceback');
  });

  it('leaves every name but one to the modules beside the handler', async () => {
    const imports = 'import worker, main, exchange';
    const worker = RunningWorker.spawn(
      'python',
      { HANDLER_FILE: 'handler.py' },
      {
        'worker.py': 'who = "my worker"',
        'main.py': 'who = "my main"',
        'exchange.py': 'who = "my exchange"',
        'handler.py': `${imports}\ndef handler(request): return [worker.who, main.who, exchange.who]`,
      },
    );
    worker.port = Number(await worker.untilItSays(/listens on (\d+)/));
    expect(await worker.ask({})).toEqual([200, ['my worker', 'my main', 'my exchange']]);
  });

  it('refuses a status and a header that no answer may have', async () => {
    const worker = await RunningWorker.start(
      'python',
      `
def handler(request, call):
    return call.reply("x", **request)`,
    );
    expect(await worker.ask({ status: 99 })).toEqual([500, { error: expect.stringContaining('99') }]);
    expect(await worker.ask({ headers: { x: 'a\r\nset-cookie: b' } })).toEqual([
      500,
      { error: expect.stringContaining('line break') },
    ]);
    const hollow = await worker.post('{"status":204}');
    expect([hollow.status, await hollow.text()]).toEqual([204, '']);
  });
});
