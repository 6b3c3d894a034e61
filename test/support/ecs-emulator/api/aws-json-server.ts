import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AccessControl } from '../access/access-control.ts';
import { requiredAccess } from '../access/required-access.ts';
import { OPERATIONS, SIGNING_NAMES } from '../operations/operation-table.ts';
import type { World } from '../world.ts';
import { AwsError } from './aws-error.ts';
import type { CallLog } from './call-log.ts';
import { Dropped, type Faults, faultAfter, faultBefore } from './faults.ts';
import { restCall } from './rest-call.ts';
import { checkSignature } from './signature.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.1';

/** Answers AWS JSON 1.1, the protocol of the SDK's clients for ECS and CloudWatch Logs, and REST JSON, that of EFS, on one port. */
export class AwsJsonServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #world: World;
  readonly #calls: CallLog;
  readonly #faults: Faults;
  readonly #access: AccessControl;

  constructor(world: World, calls: CallLog, faults: Faults, access: AccessControl) {
    this.#world = world;
    this.#calls = calls;
    this.#faults = faults;
    this.#access = access;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // The SDK keeps connections: one that closes under its next call would fail that call.
    this.#server.keepAliveTimeout = 3_600_000;
  }

  /** Resolves with its address. */
  async listen(port: number, host: string): Promise<string> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`; // it listens on TCP
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.#answer(request);
      send(response, answer === undefined ? 204 : 200, answer);
    } catch (error) {
      if (error instanceof Dropped) request.socket.destroy();
      else if (error instanceof AwsError) {
        response.setHeader('x-amzn-errortype', error.code);
        const told = { ErrorCode: error.code, Message: error.message };
        send(response, error.status, {
          __type: error.code,
          message: error.message,
          ...told,
          ...error.fields,
        });
      } else send(response, 500, { __type: 'ServerException', message: `The emulator failed: ${error}` });
    }
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    const body = await text(request);
    const rest = restCall(request, parsed(body));
    const [target = '', name = ''] = rest
      ? [rest.target, rest.name]
      : `${request.headers['x-amz-target'] ?? ''}`.split('.');
    const input = rest?.input ?? parsed(body);
    const call = this.#calls.add({ operation: name, at: this.#world.clock.now(), input });
    try {
      const service = SIGNING_NAMES[target] ?? 'ecs';
      const key = checkSignature(request.headers, this.#world.arns.region, service);
      const operation = OPERATIONS[target]?.[name];
      if ((rest === undefined && request.method !== 'POST') || operation === undefined) {
        throw new AwsError('UnknownOperationException', `The emulator has no operation ${target}.${name}.`);
      }
      const isTyped = rest !== undefined || request.headers['content-type'] === CONTENT_TYPE;
      if (!isTyped || !isObject(input)) {
        throw new AwsError('SerializationException', `The body has to be ${CONTENT_TYPE}.`);
      }
      this.#access.check(key, () => requiredAccess(this.#world, service, name, input));
      const fault = this.#faults.meet(name, input);
      faultBefore(fault);
      this.#world.limits.pass(name);
      const failures =
        fault?.kind === 'failures' ? { reason: fault.reason, detail: fault.detail } : undefined;
      const answer = await operation.answer(this.#world, input, failures === undefined ? {} : { failures });
      await faultAfter(fault);
      call.status = 200;
      return answer;
    } catch (error) {
      if (error instanceof AwsError) {
        call.status = error.status;
        call.error = error.code;
      }
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Undefined: it is no JSON object. */
function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': CONTENT_TYPE, 'x-amzn-requestid': randomUUID() });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
