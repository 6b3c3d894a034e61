import { type Attack, connectTo, FORBIDDEN_PATH, NOT_ALLOWED, PRIVATE } from './attack.ts';

const own = (method: string, path: string): Attack => ({
  name: `as a path of the proxy's own: ${method} ${path}`,
  send: `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 2\r\n\r\n{}`,
  expect: FORBIDDEN_PATH,
});

/** From inside nobody gets to where the proxy is told its rules. */
export const ADMIN: readonly Attack[] = [
  { name: 'in a tunnel', send: connectTo('127.0.0.1:ADMIN'), expect: NOT_ALLOWED },
  { name: 'in a tunnel, in IPv6', send: connectTo('[::1]:ADMIN'), expect: NOT_ALLOWED },
  { name: 'in a tunnel, mapped', send: connectTo('[::ffff:127.0.0.1]:ADMIN'), expect: NOT_ALLOWED },
  { name: 'in a tunnel, at the address of none', send: connectTo('0.0.0.0:ADMIN'), expect: NOT_ALLOWED },
  { name: 'in a tunnel, by its name', send: connectTo('localhost:ADMIN'), expect: NOT_ALLOWED },
  {
    name: 'in a tunnel, by a listed name',
    send: connectTo('admin.dns.test:ADMIN'),
    dns: { 'admin.dns.test': [{ addresses: ['127.0.0.1'] }] },
    expect: PRIVATE,
  },
  {
    name: 'by a listed name',
    send: 'GET http://admin.dns.test:ADMIN/admin/stats HTTP/1.1\r\nHost: a\r\n\r\n',
    dns: { 'admin.dns.test': [{ addresses: ['127.0.0.1'] }] },
    expect: PRIVATE,
  },
  {
    name: 'by its address',
    send: 'GET http://127.0.0.1:ADMIN/admin/stats HTTP/1.1\r\nHost: a\r\n\r\n',
    expect: NOT_ALLOWED,
  },
  {
    name: 'by its address, for a change',
    send: 'PUT http://127.0.0.1:ADMIN/admin/state HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
    expect: NOT_ALLOWED,
  },
  {
    name: 'as an MCP server',
    send: 'PUT /mcp/admin/state HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
    expect: NOT_ALLOWED,
  },
  own('GET', '/health'),
  own('GET', '/admin/stats'),
  own('PUT', '/admin/state'),
  own('POST', '/admin/update-rules'),
  own('PUT', '/admin/containers/ws-000000000001/state'),
  own('GET', '/anthropic/../admin/stats'),
];
