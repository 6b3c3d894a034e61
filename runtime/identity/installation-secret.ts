import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { ContainerId } from '../contracts/ids.ts';
import { openText, sealText } from './sealed-text.ts';
import { parseTicket, type Ticket } from './ticket.ts';

/** The installation's secret: every token and ticket is derived from it, so none needs to be stored. */
export class InstallationSecret {
  readonly #secret: Buffer;
  readonly #ticketKey: Buffer;
  readonly #settingsKey: Buffer;
  readonly #sessionKey: Buffer;
  readonly #functionKey: Buffer;

  constructor(secret: Buffer) {
    if (secret.length !== 32) throw new Error('the installation secret has 32 bytes');
    this.#secret = secret;
    this.#ticketKey = derived(secret, 'berth ticket');
    this.#settingsKey = derived(secret, 'berth egress settings');
    this.#sessionKey = derived(secret, 'berth workspace session');
    this.#functionKey = derived(secret, 'berth function environment');
  }

  /** What the runtime shows to the agent of this container, and to no other. */
  agentToken(container: ContainerId): string {
    return createHmac('sha256', this.#secret).update(`agent:${container}`).digest('hex');
  }

  /** Whether an agent that was sent `nonce` knows the token of this container. */
  provesAgent(container: ContainerId, nonce: string, proof: string): boolean {
    const expected = createHmac('sha256', this.agentToken(container)).update(nonce).digest();
    const given = Buffer.from(proof, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** With what the runtime and this container's proxy seal what they tell each other. */
  proxyAdminKey(container: ContainerId): string {
    return createHmac('sha256', this.#secret).update(`proxy:${container}`).digest('hex');
  }

  /** What a container shows to a proxy that serves many. */
  egressCredential(container: ContainerId): string {
    return createHmac('sha256', this.#secret).update(`egress:${container}`).digest('hex');
  }

  /** The container keeps the ticket but can neither read nor make one. */
  sealTicket(ticket: Ticket): string {
    return sealText(this.#ticketKey, JSON.stringify(ticket));
  }

  /** Undefined for anything that this installation did not seal. */
  openTicket(sealed: string): Ticket | undefined {
    const text = openText(this.#ticketKey, sealed);
    return text === undefined ? undefined : parseTicket(text);
  }

  /** For the stores to keep; it opens only as the settings of the same owner. */
  sealSettings(owner: string, settings: string): string {
    return sealText(this.#settingsKey, settings, owner);
  }

  openSettings(owner: string, sealed: string): string | undefined {
    return openText(this.#settingsKey, sealed, owner);
  }

  /** For a browser to keep; it opens only for the same use. */
  sealSession(use: 'link' | 'cookie', session: string): string {
    return sealText(this.#sessionKey, session, use);
  }

  openSession(use: 'link' | 'cookie', sealed: string): string | undefined {
    return openText(this.#sessionKey, sealed, use);
  }

  /** For the database to keep; it opens only as the environment of the same function. */
  sealEnvironment(owner: string, environment: string): string {
    return sealText(this.#functionKey, environment, owner);
  }

  openEnvironment(owner: string, sealed: string): string | undefined {
    return openText(this.#functionKey, sealed, owner);
  }

  /** Tells one content from another, and nothing of it to whoever has guesses. */
  functionRevision(content: string): string {
    return createHmac('sha256', this.#secret).update(`function:${content}`).digest('hex').slice(0, 16);
  }
}

function derived(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}
