import type { BackendKind } from '../containers/container-backend.ts';
import type { Lifetimes } from '../state/conversation-store.ts';

/** What an operator decides about conversations. Times are seconds. */
export interface ConversationSettings {
  version: string;
  image: string;
  backend: BackendKind;
  maxContainers: number;
  ttl: Lifetimes;
  /** After this long without a call an agent ends its container by itself: nothing outlives a lost control plane. */
  agentIdleSeconds: number;
  /** Longest a command may take. */
  executionTimeout: number;
  /** What runs executions inside a container, if not the agent's own code runner. */
  agentCommand: string | undefined;
  /** Names of files and folders that are not saved. */
  syncExclude: readonly string[];
  /** How long a delete waits for work before it cancels it. */
  gracePeriod: number;
}

/** A preparation is someone else's to repeat when it was not renewed for this long. */
export const PREPARATION_LEASE_SECONDS = 30;

/** Work counts as ended when it was not renewed for this long. */
export const WORK_LEASE_SECONDS = 30;

/** Whoever drains a container is replaced when it was not heard of for this long. */
export const DRAIN_LEASE_SECONDS = 30;

/** How long a container may take to stop by itself once it is being ended. */
export const STOP_SECONDS = 30;

/** Whoever relays an execution is replaced when it was not heard of for this long. */
export const RELAY_LEASE_SECONDS = 15;

/** What the agent gets beyond an execution's or a command's own time to end it and answer. */
export const ANSWER_SECONDS = 10;
