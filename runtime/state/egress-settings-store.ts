import type { ConversationId, TenantId } from '../contracts/ids.ts';

export interface SettingsOwner {
  tenant: TenantId;
  conversation: ConversationId;
}

/**
 * What is known of conversations' own egress settings, sealed by who puts it there: a copy for all instances to read at
 * once. The object store has the original, so any of it may be gone at any time.
 */
export interface EgressSettingsStore {
  /** Undefined: not known here. Empty: there are none. */
  get(owner: SettingsOwner): Promise<string | undefined>;
  /** They were changed to this. */
  put(owner: SettingsOwner, sealed: string): Promise<void>;
  /** They were read as this some time ago: a change since wins. */
  fill(owner: SettingsOwner, sealed: string): Promise<void>;
}

/** A copy goes by itself after so long without being written. */
export const SETTINGS_KEPT_SECONDS = 24 * 3600;
