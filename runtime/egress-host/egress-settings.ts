import { buffer } from 'node:stream/consumers';
import type { McpRule } from '../contracts/egress.ts';
import { BerthError } from '../contracts/errors.ts';
import { parseMcpServers } from '../egress/routes/parse-rules.ts';
import type { InstallationSecret } from '../identity/installation-secret.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { egressSettingsKey } from '../saving/saved-keys.ts';
import type { EgressSettingsStore, SettingsOwner } from '../state/egress-settings-store.ts';

/** What a conversation wants its own way; headers of MCP servers are secrets. */
export interface EgressSettings {
  /** In place of what the operator allows to all. */
  allowedDomains?: readonly string[] | undefined;
  mcpServers: Record<string, McpRule>;
}

const ATTEMPTS = 5;
/** In place of a copy: only the object counts. */
const CHANGING = '?';

interface Parts {
  copies: EgressSettingsStore;
  objects: ObjectStore;
  secret: InstallationSecret;
}

/** Conversations' own egress settings: kept sealed in the object store, with a sealed copy where it is read fast. */
export class ConversationEgressSettings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async of(owner: SettingsOwner): Promise<EgressSettings | undefined> {
    const { copies } = this.#parts;
    const copy = await copies.get(owner);
    if (copy !== undefined && copy !== CHANGING) return this.#open(owner, copy);
    const kept = await this.#read(owner);
    // Nobody waits for it: without a copy the next one reads as this one did.
    if (copy !== CHANGING) copies.fill(owner, kept?.sealed ?? '').catch(() => {});
    return kept && this.#open(owner, kept.sealed);
  }

  /** What is not given stays as it is. */
  async change(owner: SettingsOwner, change: Partial<EgressSettings>): Promise<EgressSettings> {
    const { copies, objects, secret } = this.#parts;
    // Whatever becomes of this change, from here on nobody believes an older copy.
    await copies.put(owner, CHANGING);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const kept = await this.#read(owner);
      const before = kept && this.#open(owner, kept.sealed);
      const settings: EgressSettings = { mcpServers: {}, ...before, ...change };
      const sealed = secret.sealSettings(nameOf(owner), JSON.stringify(settings));
      const content = Buffer.from(sealed);
      const condition = kept === undefined ? { absent: true as const } : { version: kept.version };
      const put = await objects.put(egressSettingsKey(owner), content, { size: content.length, condition });
      if (put === 'conflict') continue;
      await copies.put(owner, sealed);
      // A later change may have put its copy before ours.
      if ((await this.#read(owner))?.version !== put.version) await copies.put(owner, CHANGING);
      return settings;
    }
    throw new BerthError('STORE_UNAVAILABLE', 'the settings are being changed by others all the time');
  }

  /** They were deleted with the conversation's files. */
  async forget(owner: SettingsOwner): Promise<void> {
    await this.#parts.copies.put(owner, CHANGING);
  }

  async #read(owner: SettingsOwner): Promise<{ sealed: string; version: string } | undefined> {
    const found = await this.#parts.objects.get(egressSettingsKey(owner));
    return found && { sealed: (await buffer(found.content)).toString(), version: found.version };
  }

  /** What does not open is not ours, or another conversation's: nothing of it is believed. */
  #open(owner: SettingsOwner, sealed: string): EgressSettings | undefined {
    if (sealed === '') return undefined;
    const text = this.#parts.secret.openSettings(nameOf(owner), sealed);
    if (text === undefined)
      throw new BerthError('INTERNAL', 'the egress settings of this conversation do not open');
    // The cast: we sealed it ourselves; what is in it is checked again below.
    const { allowedDomains, mcpServers } = JSON.parse(text) as EgressSettings;
    return { ...(allowedDomains && { allowedDomains }), mcpServers: parseMcpServers(mcpServers) };
  }
}

function nameOf({ tenant, conversation }: SettingsOwner): string {
  return `${tenant}/${conversation}`;
}
