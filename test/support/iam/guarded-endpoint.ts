import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { PolicyDocument } from '../../../infra/ecs/policy-document.ts';
import { type Access, evaluatePolicy } from './evaluate-policy.ts';
import { type Asked, accessToMissing, requiredAccess } from './s3-access.ts';

/** By the id of an access key: the policies of who has it; undefined: one who may everything. */
export type PoliciesOf = (accessKeyId: string) => readonly PolicyDocument[] | undefined;

/** Stands before an S3 that is an STS, too, and lets through what a caller's policies allow, as IAM does. */
export class GuardedEndpoint implements AsyncDisposable {
  readonly url: string;
  /** Actions that a policy has allowed. */
  readonly allowed = new Set<string>();
  /** What no policy allowed, in words. */
  readonly refused: string[] = [];
  readonly #server: Server;
  readonly #target: string;
  readonly #policiesOf: PoliciesOf;

  private constructor(server: Server, target: string, policiesOf: PoliciesOf) {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
    this.url = `http://127.0.0.1:${address.port}`;
    this.#server = server;
    this.#target = target;
    this.#policiesOf = policiesOf;
    server.on('request', (incoming, answer) => {
      this.#handle(incoming, answer).catch((error: unknown) => {
        this.refused.push(String(error));
        incoming.socket.destroy();
      });
    });
  }

  static async before(target: string, policiesOf: PoliciesOf): Promise<GuardedEndpoint> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GuardedEndpoint(server, target, policiesOf);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const [, key = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    const policies = this.#policiesOf(key);
    const body = await buffer(incoming);
    const asked: Asked = { method, url, body: method === 'POST' ? body.toString() : '' };
    if (!this.#mayAll(policies, requiredAccess(asked), key)) return forbid(answer, method);
    // The host that was signed is kept.
    const passed = request(`${this.#target}${url}`, { method, headers });
    passed.end(body);
    const [answered]: IncomingMessage[] = await once(passed, 'response');
    if (answered === undefined) throw new Error('A response comes with its event.');
    if (answered.statusCode === 404 && !this.#mayAll(policies, accessToMissing(asked), key)) {
      answered.resume();
      return forbid(answer, method);
    }
    answer.writeHead(answered.statusCode ?? 0, answered.headers);
    answered.pipe(answer);
  }

  #mayAll(policies: readonly PolicyDocument[] | undefined, wanted: Access[], key: string): boolean {
    if (policies === undefined) return true;
    return wanted.every((access) => {
      const verdicts = policies.map((policy) => evaluatePolicy(policy, access));
      const may = verdicts.includes('allowed') && !verdicts.includes('denied');
      if (may) this.allowed.add(access.action);
      else this.refused.push(`${key} may not ${access.action} on ${access.resource}`);
      return may;
    });
  }
}

function forbid(answer: ServerResponse, method: string): void {
  const body = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
  answer.writeHead(403, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body) });
  answer.end(method === 'HEAD' ? undefined : body);
}
