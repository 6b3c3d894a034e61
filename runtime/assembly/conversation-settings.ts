import type { BackendKind } from '../containers/container-backend.ts';
import type { Config } from '../contracts/environment.ts';
import { maxContainers } from '../contracts/load-config.ts';
import type { ConversationSettings } from '../conversations/conversation-settings.ts';
import { VERSION } from '../version.ts';

export function conversationSettings(config: Config, backend: BackendKind): ConversationSettings {
  return {
    version: VERSION,
    image: imageOf(config, backend),
    backend,
    maxContainers: maxContainers(config, backend),
    ttl: {
      idleSeconds: config.CONTAINER_TTL_SECONDS,
      maxLifetimeSeconds: config.CONTAINER_MAX_LIFETIME_SECONDS,
    },
    // One that waits in the pool must not leave before its time there is up.
    agentIdleSeconds: 2 * Math.max(config.CONTAINER_TTL_SECONDS, config.WARM_POOL_TTL_SECONDS),
    executionTimeout: config.EXECUTION_TIMEOUT_SECONDS,
    agentCommand: config.AGENT_COMMAND,
    syncExclude: config.SYNC_EXCLUDE,
    gracePeriod: config.GRACE_PERIOD_SECONDS,
  };
}

/** On ECS a task definition stands for its images. */
function imageOf(config: Config, backend: BackendKind): string {
  if (backend === 'ecs' && config.ECS_TASK_DEFINITION !== undefined) return config.ECS_TASK_DEFINITION;
  return config.WORKSPACE_IMAGE ?? `workspace-base:${VERSION}`;
}
