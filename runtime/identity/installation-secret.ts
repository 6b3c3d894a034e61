import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { ContainerId } from '../contracts/ids.ts';
import { parseTicket, type Ticket } from './ticket.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The installation's secret: every token and ticket is derived from it, so none needs to be stored. */
export class InstallationSecret {
  readonly #secret: Buffer;
  readonly #ticketKey: Buffer;

  constructor(secret: Buffer) {
    if (secret.length !== 32) throw new Error('the installation secret has 32 bytes');
    this.#secret = secret;
    this.#ticketKey = Buffer.from(hkdfSync('sha256', secret, '', 'berth ticket', 32));
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

  /** The container keeps the ticket but can neither read nor make one. */
  sealTicket(ticket: Ticket): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#ticketKey, nonce);
    const body = Buffer.concat([cipher.update(JSON.stringify(ticket), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** Undefined for anything that this installation did not seal. */
  openTicket(sealed: string): Ticket | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#ticketKey, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const body = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
      return parseTicket(body.toString('utf8'));
    } catch {
      return undefined; // forged, damaged, or of another installation: all the same to the caller
    }
  }
}
