import type { BackendKind } from '../containers/container-backend.ts';
import type { Lifetimes } from '../state/conversation-store.ts';

/** What an operator decides about conversations. Times are seconds. */
export interface ConversationSettings {
  version: string;
  image: string;
  backend: BackendKind;
  maxContainers: number;
  ttl: Lifetimes;
  /** Longest a command may take. */
  executionTimeout: number;
  /** How long a delete waits for work before it cancels it. */
  gracePeriod: number;
}

/** A preparation is someone else's to repeat when it was not renewed for this long. */
export const PREPARATION_LEASE_SECONDS = 30;

/** Work counts as ended when it was not renewed for this long. */
export const WORK_LEASE_SECONDS = 30;

/** How long a container may take to stop by itself once it is being ended. */
export const STOP_SECONDS = 30;
