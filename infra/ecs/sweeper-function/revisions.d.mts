import type { ECSClient } from '@aws-sdk/client-ecs';

export function planRevisions(
  active: readonly string[],
  families: readonly string[],
  kept: readonly string[],
): string[];

/** Resolves with what it deregistered. */
export function deregister(
  ecs: ECSClient,
  of: { families: readonly string[]; kept: readonly string[] },
): Promise<string[]>;
