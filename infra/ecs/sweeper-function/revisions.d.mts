import type { ECSClient } from '@aws-sdk/client-ecs';

export function planRevisions(
  active: readonly string[],
  families: readonly string[],
  kept: readonly string[],
): string[];

/** Resolves with what it deregistered. `giveUpMs`: it fails where it takes longer. */
export function deregister(
  ecs: ECSClient,
  of: { families: readonly string[]; kept: readonly string[]; giveUpMs?: number },
): Promise<string[]>;

/** Of those that begin so, the ones with an active revision. */
export function activeFamilies(ecs: ECSClient, prefix: string): Promise<string[]>;
