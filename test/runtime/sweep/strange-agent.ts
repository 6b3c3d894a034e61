import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';

// Stands in an agent's place and proves itself, but `STRANGE` says how: `never-answers` a health check once it has a
// ticket, or `answers-the-fourth-time`; `works` on what `EXECUTIONS` lists.

const { STRANGE = '', AGENT_TOKEN = '', AGENT_SOCKET = '', EXECUTIONS = '[]' } = process.env;
const silences = { 'never-answers': Number.POSITIVE_INFINITY, 'answers-the-fourth-time': 3 }[STRANGE] ?? 0;
let ticket: string | null = null;
let asked = 0;

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://agent');
  if (url.pathname === '/assign') {
    request.setEncoding('utf8').on('data', (text: string) => {
      ticket = JSON.parse(text).ticket;
    });
    request.on('end', () => response.end('{}'));
    return;
  }
  if (ticket !== null) asked += 1;
  if (ticket !== null && asked <= silences) return;
  const nonce = url.searchParams.get('nonce') ?? '';
  const proof = createHmac('sha256', AGENT_TOKEN).update(nonce).digest('hex');
  const executions = JSON.parse(EXECUTIONS);
  response.end(JSON.stringify({ status: 'ok', protocol: 1, version: '0', ticket, proof, executions }));
}).listen(AGENT_SOCKET);
