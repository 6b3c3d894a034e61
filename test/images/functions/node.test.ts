import { describe, expect, it } from 'vitest';
import { RunningWorker } from './running-worker.ts';
import { type Handlers, workerContract } from './worker-contract.ts';

const untilReleased = `
  import { existsSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  const released = async () => { while (!existsSync('released')) await sleep(5); };
`;

const handlers: Handlers = {
  hello: 'export default (request) => ({ hello: request.name })',
  helloLater: `
    import { setTimeout as sleep } from 'node:timers/promises';
    export default async (request) => { await sleep(1); return { hello: request.name }; }`,
  tellCall: `export default (_, { method, path, headers }) => ({ method, path, test: headers['x-test'] })`,
  nothing: 'export default () => {}',
  text: `export default () => 'plain ä'`,
  bytes: 'export default () => new Uint8Array([0, 255, 10])',
  stream: `${untilReleased} export default async function* () { yield 'one'; await released(); yield Buffer.from('two'); }`,
  reply: `export default () => Response.json({ short: true }, { status: 418, headers: { 'x-kind': 'tea' } })`,
  fails: `export default () => { throw new Error('no luck'); }`,
  failsToConnect: `export default () => { throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }); }`,
  failsAtFirstPiece: `export default async function* () { throw new Error('no luck'); }`,
  failsAtSecondPiece: `${untilReleased}
    export default async function* () { yield 'one'; await released(); throw new Error('no luck'); }`,
  notJson: 'export default () => ({ much: 1n })',
  counts: `
    export const raw = true;
    export default async (body) => {
      let bytes = 0;
      for await (const piece of body) bytes += piece.length;
      return { bytes };
    }`,
  waits: `${untilReleased} export default async () => { console.log('began'); await released(); return 'done'; }`,
  noticesDeparture: `
    import { once } from 'node:events';
    export default async (_, { signal }) => {
      console.log('began');
      await once(signal, 'abort');
      console.log('noticed');
    }`,
  broken: 'export default (',
  noFunction: 'export const handler = () => 1',
};

describe('a function of Node', () => {
  workerContract('node', handlers, 'mjs');

  it('sends a Response as it is: its cookies, its stream, or its want of a body', async () => {
    const worker = await RunningWorker.start(
      'node',
      `export default ({ hollow }) => {
        if (hollow) return new Response(null, { status: 204 });
        const headers = new Headers([['set-cookie', 'a=1'], ['set-cookie', 'b=2'], ['content-type', 'text/css']]);
        return new Response(new Blob(['p {', '}']).stream(), { headers });
      }`,
    );
    const answer = await worker.post('{}');
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(answer.headers.get('content-type')).toBe('text/css');
    expect(await answer.text()).toBe('p {}');
    const hollow = await worker.post('{"hollow":true}');
    expect([hollow.status, await hollow.text()]).toEqual([204, '']);
  });
});
