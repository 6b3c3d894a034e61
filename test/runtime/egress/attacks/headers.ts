import { type Attack, type Expected, MALFORMED, NOT_ALLOWED } from './attack.ts';

const plain = (headers: string): string =>
  `GET http://up.test:PORT/ HTTP/1.1\r\nHost: up.test\r\n${headers}\r\n`;
const passes = (expect: Partial<Expected>): Expected => ({ status: 200, passed: 'forwarded', ...expect });
const mcp = (headers: string): string => `GET /mcp/tools/x HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const anthropic = (headers: string): string =>
  `GET /anthropic/v1/models HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const bedrock = (headers: string): string =>
  `POST /model/m/invoke HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n${headers}\r\n{}`;
const target = (name: string, line: string, expect: Expected): Attack => ({
  name,
  send: `${line} HTTP/1.1\r\nHost: up.test\r\n\r\n`,
  expect,
});

/** Headers of the client that try to be more than that, and forms of a target that are not for a proxy. */
export const HEADERS: readonly Attack[] = [
  {
    name: 'another Host: the URL counts',
    send: 'GET http://up.test:PORT/ HTTP/1.1\r\nHost: evil.test\r\n\r\n',
    expect: passes({ saw: ['Host: up.test:PORT\r\n'], never: ['evil'] }),
  },
  {
    name: 'a Host that is on the list, and a URL that is not',
    send: 'GET http://127.0.0.3:PORT/ HTTP/1.1\r\nHost: up.test:PORT\r\n\r\n',
    expect: NOT_ALLOWED,
  },
  {
    name: 'a Host with a user',
    send: 'GET http://up.test:PORT/ HTTP/1.1\r\nHost: up.test@evil.test\r\n\r\n',
    expect: MALFORMED,
  },
  target('https', 'GET https://up.test:PORT/', MALFORMED),
  target('a file', 'GET file:///etc/passwd', MALFORMED),
  target('ftp', 'GET ftp://up.test/', MALFORMED),
  target('a WebSocket', 'GET ws://up.test:PORT/', MALFORMED),
  target('a socket', 'GET unix:/var/run/docker.sock', MALFORMED),
  target('HTTP over a socket', 'GET http+unix://%2fvar%2frun%2fdocker.sock/info', MALFORMED),
  target('a host alone', 'GET up.test:PORT', MALFORMED),
  target('an asterisk', 'OPTIONS *', MALFORMED),
  target('a URL without slashes', 'GET http:up.test:PORT/', MALFORMED),
  target('a URL with three slashes', 'GET http:///up.test:PORT/', MALFORMED),
  target('a network path', 'GET //127.0.0.3:PORT/', { status: 403, refused: 'forbidden_path' }),
  target('a trace', 'TRACE http://up.test:PORT/', { status: 405, refused: 'forbidden_path' }),
  target("a trace of the proxy's own path", 'TRACE /mcp/tools/x', { status: 405, refused: 'forbidden_path' }),
  {
    name: 'Connection names Host',
    send: plain('Connection: host\r\n'),
    expect: passes({ saw: ['Host: up.test:PORT\r\n'] }),
  },
  {
    name: "Connection names a body's length",
    send: 'POST http://up.test:PORT/ HTTP/1.1\r\nHost: a\r\nConnection: content-length\r\nContent-Length: 3\r\n\r\nabc',
    expect: passes({ saw: ['Content-Length: 3\r\n'] }),
  },
  {
    name: "Connection names a body's encoding",
    send: 'POST http://up.test:PORT/ HTTP/1.1\r\nHost: a\r\nConnection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    expect: passes({ saw: ['Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n'] }),
  },
  {
    name: 'what lies between neighbours ends here',
    send: plain(
      'Connection: close, x-evil\r\nX-Evil: 1\r\nKeep-Alive: evil\r\nTE: evil\r\nProxy-Authorization: evil\r\nProxy-Connection: evil\r\nVia: evil\r\nX-Forwarded-For: evil\r\nX-Forwarded-Host: evil\r\nForwarded: evil\r\n',
    ),
    expect: passes({ never: ['evil', 'proxy-'] }),
  },
  {
    name: 'a switch of protocols is not asked for',
    send: plain(
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
    ),
    expect: passes({ never: ['upgrade', 'http2'] }),
  },
  {
    name: 'a WebSocket is not asked for',
    send: plain(
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
    ),
    expect: passes({ never: ['upgrade'] }),
  },
  {
    name: "Connection names an MCP server's headers",
    send: mcp('Connection: authorization, x-secret\r\nAuthorization: evil\r\n'),
    expect: passes({ saw: ['Authorization: Bearer canary', 'X-Secret: canary'], never: ['evil'] }),
  },
  {
    name: "an MCP server's headers are sent as well",
    send: mcp('authorization: evil\r\nX_Secret: evil\r\nx-secret: evil\r\nX-SECRET: evil\r\n'),
    expect: passes({ saw: ['Authorization: Bearer canary', 'X-Secret: canary'], never: ['evil'] }),
  },
  {
    name: "an MCP server's Host is sent as well",
    send: mcp('X-Forwarded-Host: evil.test\r\nForwarded: host=evil.test\r\n'),
    expect: passes({ saw: ['Host: up.test:PORT\r\n'], never: ['evil'] }),
  },
  {
    name: 'framing with underscores',
    send: mcp('Content_Length: 99\r\nTransfer_Encoding: evil\r\n'),
    expect: passes({ never: ['content_length', 'transfer_encoding'] }),
  },
  {
    name: 'a key of its own for the model',
    send: anthropic('X-Api-Key: evil\r\nAuthorization: Bearer evil\r\nX_Api_Key: evil\r\nCookie: evil\r\n'),
    expect: passes({ saw: ['x-api-key: canary-7c1f-api\r\n'], never: ['evil', 'authorization'] }),
  },
  {
    name: "Connection names the model's key",
    send: anthropic('Connection: x-api-key, host\r\n'),
    expect: passes({ saw: ['x-api-key: canary-7c1f-api\r\n', 'Host: up.test:PORT\r\n'] }),
  },
  {
    name: 'a signature of its own',
    send: bedrock(
      'Authorization: AWS4-HMAC-SHA256 Credential=EVIL/20260101/eu-west-1/s3/aws4_request\r\nX-Amz-Date: 20000101T000000Z\r\nX-Amz-Security-Token: EVIL\r\nX-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\nDate: EVIL\r\nX-Amz-Target: EVIL\r\nX_Amz_Meta: EVIL\r\n',
    ),
    expect: passes({
      saw: [
        'POST /bedrock/model/m/invoke ',
        'Credential=AKIDOPERATOR/',
        '/us-east-1/bedrock/aws4_request',
        'x-amz-security-token: canary',
      ],
      never: ['evil', '20000101', 'unsigned', 'eu-west-1'],
    }),
  },
  {
    name: 'Connection names the signature',
    send: bedrock('Connection: authorization, x-amz-date, x-amz-security-token\r\n'),
    expect: passes({ saw: ['Credential=AKIDOPERATOR/', 'x-amz-date: ', 'x-amz-security-token: canary'] }),
  },
];
