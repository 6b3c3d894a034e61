import type { Logger } from 'pino';
import type { AgentClients } from '../../agent-client/agent-clients.ts';
import { AgentMisbehaved, AgentUnreachable } from '../../agent-client/agent-failures.ts';
import type { AgentEvent } from '../../agent-client/execution-events.ts';
import type { ExecuteRequest } from '../../contracts/agent-protocol.ts';
import { EGRESS_PROXY_URL } from '../../contracts/egress.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { ExecutionName, ExecutionRecord } from '../../contracts/execution-record.ts';
import { executionWork } from '../../contracts/ids.ts';
import type { EgressSettings } from '../../egress-host/egress-settings.ts';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import type { ExecutionStart } from '../../state/conversation-store.ts';
import type { ExecutionStore } from '../../state/execution-store.ts';
import type { ActiveWork } from '../active-work.ts';
import type { Acquired, Caller, ContainerAcquisition } from '../container-acquisition.ts';
import type { ConversationEgress } from '../conversation-egress.ts';
import { type ConversationSettings, RELAY_LEASE_SECONDS } from '../conversation-settings.ts';
import type { CrashRecovery } from '../crash-recovery.ts';
import type { FileSaving } from '../file-saving.ts';
import { ExecutionReader } from './execution-reader.ts';
import { bodyHashOf, type ExecutionOrder, executionOf } from './execution-request.ts';
import type { Relay } from './relay.ts';
import { containerEvent, type Relays } from './relays.ts';

const CANCEL_MS = 5_000;
/** Of an execution that never reached its container: one that died before it was asked is replaced, once. */
const ATTEMPTS = 2;

interface Parts {
  executions: ExecutionStore;
  relays: Relays;
  agents: AgentClients;
  active: ActiveWork;
  acquisition: ContainerAcquisition;
  egress: ConversationEgress;
  recovery: CrashRecovery;
  saving: FileSaving;
  settings: ConversationSettings;
  checkpoint: Checkpoint;
  log: Logger;
}

interface Begun {
  relay: Relay;
  acquired: Acquired;
  /** Of the conversation, where the execution brings none. */
  egress: Promise<EgressSettings>;
}

/** Executions: begun, followed, cancelled; on whichever instance the caller happens to ask. */
export class Executions {
  readonly #parts: Parts;
  readonly #reader: ExecutionReader;
  #closing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { executions, relays } = parts;
    this.#reader = new ExecutionReader({ executions, windowOf: (name) => relays.windowOf(name) });
  }

  /** Begins it, or finds the one that the same request began before. Its events are there to be followed. */
  async begin(caller: Caller, order: ExecutionOrder, signal: AbortSignal): Promise<ExecutionName> {
    if (this.#closing)
      throw new BerthError('SHUTTING_DOWN', 'the service is shutting down', { retry_after: 1 });
    if (order.mcpServers !== undefined) this.#parts.egress.check({ mcpServers: order.mcpServers });
    const execution = executionOf(caller.tenant, caller.conversation, order);
    const name = { tenant: caller.tenant, conversation: caller.conversation, execution };
    using piece = this.#parts.active.begin(signal);
    for (let attempt = 1; ; attempt += 1) {
      const begun = await this.#acquire(caller, name, order, piece.signal);
      if (begun === 'known') return name;
      try {
        if (await this.#hand(begun, order, attempt === ATTEMPTS)) return name;
      } catch (error) {
        begun.relay.dispose(); // its lease lapses, and who takes it finds out what became of it
        throw error;
      }
    }
  }

  /** Server-sent events, whole ones. */
  follow(name: ExecutionName, after: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    return this.#reader.follow(name, after, signal);
  }

  async get(name: ExecutionName): Promise<ExecutionRecord> {
    const record = await this.#parts.executions.get(name);
    if (record !== undefined) return record;
    throw new BerthError(
      'EXECUTION_NOT_FOUND',
      `there is no execution ${name.execution} in this conversation`,
    );
  }

  list(tenant: ExecutionName['tenant'], conversation: ExecutionName['conversation'], limit: number) {
    return this.#parts.executions.list(tenant, conversation, limit);
  }

  /** Asks the agent to end it; its stream tells when it has. One that has ended stays as it is. */
  async cancel(name: ExecutionName): Promise<void> {
    const record = await this.get(name);
    // One that was given up may still run.
    if (record.status === 'running' || record.status === 'lost') await this.#tellAgent(record);
  }

  /** The client that wanted it cancelled when it goes has gone. One that was cut off because we go is none. */
  async clientGone(name: ExecutionName): Promise<void> {
    if (!this.#closing) await this.cancel(name);
  }

  /** Begins nothing and takes nothing up any more. */
  close(): void {
    this.#closing = true;
    this.#parts.relays.close();
  }

  /** Resolves once this instance relays nothing. */
  settle(): Promise<void> {
    return this.#parts.relays.settle();
  }

  /** Leaves what runs here to other instances. */
  handOver(): void {
    this.#parts.relays.handOver();
  }

  /** Ends what runs here. */
  async cancelAll(): Promise<void> {
    const running = this.#parts.relays.executions();
    await Promise.all(running.map((execution) => this.#tellAgent(execution)));
  }

  async #acquire(
    caller: Caller,
    name: ExecutionName,
    order: ExecutionOrder,
    signal: AbortSignal,
  ): Promise<Begun | 'known'> {
    const { acquisition, relays, checkpoint } = this.#parts;
    const start: ExecutionStart = {
      id: name.execution,
      bodyHash: bodyHashOf(order),
      seconds: order.seconds,
      onDisconnect: order.onDisconnect,
      relay: relays.newOwner(),
      relaySeconds: RELAY_LEASE_SECONDS,
      ...(caller.executionLimit === undefined ? {} : { tenantLimit: caller.executionLimit }),
    };
    const work = executionWork(name.execution);
    // Beside the rest: who is told of the execution waits for both.
    const egress = this.#parts.egress.show(caller);
    egress.catch(() => {});
    const acquired = await acquisition.acquireForExecution(caller, work, start, signal);
    if ('known' in acquired) return 'known';
    await checkpoint('execute.begun');
    const relay = relays.prepare(recordOf(name, acquired, start), start.relay, order.seconds);
    return { relay, acquired, egress };
  }

  /** False: it never got there, and the container is gone; it may be begun again. */
  async #hand(begun: Begun, order: ExecutionOrder, last: boolean): Promise<boolean> {
    const { relay, acquired } = begun;
    const { agents, recovery, relays, saving, checkpoint } = this.#parts;
    const { execution } = relay;
    if (!(await this.#isStillOurs(relay, acquired))) {
      relay.dispose();
      return true; // another relay has told how it ended
    }
    const request = await this.#requestOf(begun, order);
    let batches: AsyncGenerator<AgentEvent[]> | undefined;
    try {
      batches = await agents.of(execution.container).execute(request, relay.signal);
    } catch (error) {
      if (error instanceof AgentUnreachable && !error.mayHaveArrived) {
        const problem = await recovery.recover(execution, error);
        await this.#abandon(relay);
        if (last || problem.code !== 'CONTAINER_CRASHED') throw problem;
        return false;
      }
      const mayRun =
        error instanceof AgentUnreachable || error instanceof AgentMisbehaved || relay.signal.aborted;
      if (!mayRun) {
        await this.#abandon(relay);
        throw error;
      }
      // The relay finds out.
    }
    await checkpoint('execute.sent');
    if (!(await this.#isStillOurs(relay, acquired))) await this.#tellAgent(execution);
    saving.watch(acquired.record);
    relay.say(containerEvent(execution.container, acquired.source, acquired.seconds));
    relays.start(relay, batches);
    return true;
  }

  /** What the agent is asked for; of MCP servers it is told where its proxy has them, and nothing else. */
  async #requestOf({ relay, egress }: Begun, order: ExecutionOrder): Promise<ExecuteRequest> {
    const { execution } = relay;
    try {
      const { mcpServers } =
        order.mcpServers === undefined
          ? await egress
          : await this.#parts.egress.change(execution, { mcpServers: order.mcpServers });
      const servers = Object.keys(mcpServers);
      return {
        ...order.request,
        execution_id: execution.execution,
        timeout_seconds: order.seconds,
        ...(servers.length > 0 && { mcp_server_configs: Object.fromEntries(servers.map(localServer)) }),
      };
    } catch (error) {
      await this.#abandon(relay);
      throw error;
    }
  }

  async #abandon(relay: Relay): Promise<void> {
    const { executions, settings } = this.#parts;
    relay.dispose();
    await executions.abandon({ ...relay.execution, relay: relay.owner, ttl: settings.ttl });
  }

  /** Whoever relays it finds out what became of it, and ends it. */
  async #tellAgent({ container, execution }: ExecutionRecord): Promise<void> {
    try {
      await this.#parts.agents.of(container).cancelExecution(execution, AbortSignal.timeout(CANCEL_MS));
    } catch (error) {
      this.#parts.log.warn({ err: error, execution_id: execution }, 'a cancel did not reach the agent');
    }
  }

  /** False: it took so long that another relay took it, and may have told it as lost: then it must not run. */
  async #isStillOurs(relay: Relay, { askedAt }: Acquired): Promise<boolean> {
    return performance.now() - askedAt < (RELAY_LEASE_SECONDS * 1000) / 3 || relay.isOurs();
  }
}

function localServer(name: string): [name: string, config: { url: string }] {
  return [name, { url: `${EGRESS_PROXY_URL}/mcp/${name}` }];
}

/** As the store has it, without asking it again. */
function recordOf(name: ExecutionName, { record }: Acquired, start: ExecutionStart): ExecutionRecord {
  const now = Date.now();
  return {
    ...name,
    status: 'running',
    bodyHash: start.bodyHash,
    container: record.container,
    startedAt: now,
    deadline: now + start.seconds * 1000,
    endedAt: null,
    onDisconnect: start.onDisconnect,
    agentSeq: 0,
    offset: 0,
  };
}
