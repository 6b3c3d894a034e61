import { randomBytes, randomUUID } from 'node:crypto';
import type { ContainerBackend, ContainerSpec } from '../../../runtime/containers/container-backend.ts';
import { CONVERSATION_LIMITS } from '../../../runtime/contracts/container-limits.ts';
import { conversationContainerId } from '../../../runtime/contracts/ids.ts';
import { TestAgent } from './agent-calls.ts';

export const MISSING_IMAGE = 'no-such-image:1';

/** A conversation's container; its token is in its environment. */
export function containerSpec(image: string, change: Partial<ContainerSpec> = {}): ContainerSpec {
  const { env, ...others } = change;
  return {
    id: conversationContainerId(randomUUID()),
    role: 'conversation',
    image,
    env: { AGENT_TOKEN: randomBytes(32).toString('hex'), ...env },
    proxyEnv: { PROXY_ADMIN_KEY: randomBytes(32).toString('hex') },
    labels: {},
    limits: CONVERSATION_LIMITS,
    network: 'none',
    ...others,
  };
}

export function agentOf(backend: ContainerBackend, spec: ContainerSpec): TestAgent {
  return new TestAgent(() => backend.endpoint(spec.id, 'agent'), spec.env.AGENT_TOKEN ?? '');
}
