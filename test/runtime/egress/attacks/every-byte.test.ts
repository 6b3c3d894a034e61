import { beforeAll, describe, expect, it } from 'vitest';
import { isWhole, talk } from './talk.ts';
import { World } from './world.ts';

const AT_ONCE = 16;

/** Where BYTE stands, every byte there is gets its turn. */
const PLACES: readonly [name: string, send: string][] = [
  ['a host', 'GET http://up.teBYTEst:PORT/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['the end of a host', 'GET http://127.0.0.3BYTE:PORT/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['a path', 'GET http://up.test:PORT/aBYTEb HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ["a path of the proxy's own", 'GET /mcp/tools/aBYTEb HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['a tunnel', 'CONNECT evilBYTE.test:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a value', 'GET http://up.test:PORT/ HTTP/1.1\r\nHost: a\r\nX: aBYTEb\r\nConnection: close\r\n\r\n'],
  [
    'a name of a header',
    'GET http://up.test:PORT/ HTTP/1.1\r\nHost: a\r\nXBYTEY: a\r\nConnection: close\r\n\r\n',
  ],
  ['a Host', 'GET http://up.test:PORT/ HTTP/1.1\r\nHost: aBYTEb\r\nConnection: close\r\n\r\n'],
];

describe.each([
  ['the proxy', false],
  ['the proxy behind a sidecar', true],
])('every byte is either sent on or refused by %s', (_name, behindSidecar) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ behindSidecar });
    return () => world[Symbol.asyncDispose]();
  });

  it.each(PLACES)('in %s', async (_place, send) => {
    for (let first = 0; first < 256; first += AT_ONCE) {
      const bytes = Array.from({ length: AT_ONCE }, (_, index) => first + index);
      await Promise.all(
        bytes.map(async (byte) => {
          const sent = world.fill(send).replace('BYTE', () => String.fromCharCode(byte));
          const { received } = await talk(world.socket, [sent], isWhole);
          expect([byte, received]).toEqual([byte, expect.stringMatching(/^HTTP\/1\.1 (200|400|403) /)]);
        }),
      );
    }
    expect(world.victims.map(({ connections }) => connections)).toEqual(world.victims.map(() => 0));
    expect(world.tells('')).toBe(false);
  });
});
