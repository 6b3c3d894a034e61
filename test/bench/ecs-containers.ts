import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Activity } from '../../images/workspace-base/agent/activity.ts';
import { Assignment } from '../../images/workspace-base/agent/assignment.ts';
import { inheritedEnvironment } from '../../images/workspace-base/agent/exec/environment.ts';
import { PipeSupply } from '../../images/workspace-base/agent/exec/pipe-supply.ts';
import { RunningCommands } from '../../images/workspace-base/agent/exec/running-commands.ts';
import { Executions } from '../../images/workspace-base/agent/executions/executions.ts';
import { createAgentServer } from '../../images/workspace-base/agent/server.ts';
import { Terminals } from '../../images/workspace-base/agent/terminals/terminals.ts';
import { Token } from '../../images/workspace-base/agent/token.ts';
import { createAdminServer } from '../../runtime/egress/admin/admin-server.ts';
import { gateCommands } from '../../runtime/egress/admin/gate-commands.ts';
import { ReplayGuard } from '../../runtime/egress/admin/replay-guard.ts';
import { AdminSeal } from '../../runtime/egress/admin/sealed-message.ts';
import { Gate } from '../../runtime/egress/gate.ts';
import type { StubContainer } from '../support/ecs-emulator/stub/stub-backing.ts';
import { AGENT_CONTAINER } from '../support/ecs-emulator/workspace-task-definition.ts';
import { must } from '../support/must.ts';

/**
 * The containers of tasks, as servers of this process: the agent and the proxy's admin side as they are in their
 * images. Hundreds are cheap. All agents share one workspace.
 */
export class EcsContainers implements Disposable {
  readonly #workspace = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  readonly #pipes = new PipeSupply();
  readonly #commands = new RunningCommands();

  start(container: StubContainer): Promise<AsyncDisposable> {
    return container.container === AGENT_CONTAINER ? this.#startAgent(container) : startProxy(container);
  }

  [Symbol.dispose](): void {
    this.#commands.killAll();
    this.#pipes.close();
    rmSync(this.#workspace, { recursive: true, force: true });
  }

  #startAgent({ address, environment }: StubContainer): Promise<AsyncDisposable> {
    const server = createAgentServer({
      version: environment.AGENT_VERSION ?? '0.0.0',
      token: new Token(must(environment.AGENT_TOKEN)),
      root: this.#workspace,
      inheritedEnv: inheritedEnvironment({ PATH: process.env.PATH }),
      killAfterMs: 2000,
      command: undefined,
      assignment: new Assignment(),
      activity: new Activity(),
      commands: this.#commands,
      pipes: this.#pipes,
      executions: new Executions(),
      terminals: new Terminals(),
    });
    return listening(server, address, environment.AGENT_HTTP_PORT);
  }
}

function startProxy({ address, environment }: StubContainer): Promise<AsyncDisposable> {
  const gate = new Gate(must(environment.CONTAINER_ID), () => {});
  const seal = new AdminSeal(must(environment.PROXY_ADMIN_KEY));
  const server = createAdminServer(seal, ReplayGuard.fromNow(), gateCommands(gate));
  return listening(server, address, environment.ADMIN_PORT);
}

async function listening(server: Server, host: string, port: string | undefined): Promise<AsyncDisposable> {
  server.listen({ host, port: Number(must(port)) });
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
