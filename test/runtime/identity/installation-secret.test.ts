import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseContainerId, parseConversationId, parseTenantId } from '../../../runtime/contracts/ids.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import { must } from '../../support/must.ts';

const secret = new InstallationSecret(Buffer.alloc(32, 7));
const other = new InstallationSecret(Buffer.alloc(32, 8));
const container = must(parseContainerId('ws-0123456789ab'));
const ticket = {
  container_id: container,
  tenant_id: must(parseTenantId('acme')),
  conversation_id: must(parseConversationId('c.1')),
  claimed_at: 1_700_000_000_000,
  restored_version: null,
};

describe('a ticket', () => {
  it('opens for the installation that sealed it', () => {
    expect(secret.openTicket(secret.sealTicket(ticket))).toEqual(ticket);
  });

  it('never looks the same twice and shows nothing of its content', () => {
    const sealed = secret.sealTicket(ticket);
    expect(secret.sealTicket(ticket)).not.toBe(sealed);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('acme');
  });

  it('does not open for another installation', () => {
    expect(other.openTicket(secret.sealTicket(ticket))).toBeUndefined();
  });

  it('does not open when any one bit of it was changed', () => {
    const sealed = Buffer.from(secret.sealTicket(ticket), 'base64url');
    for (let index = 0; index < sealed.length; index += 1) {
      const forged = Buffer.from(sealed);
      forged[index] = (forged[index] ?? 0) ^ 1;
      expect(secret.openTicket(forged.toString('base64url'))).toBeUndefined();
    }
  });

  it.each(['', 'x', 'null', randomBytes(200).toString('base64url')])('does not open from %j', (text) => {
    expect(secret.openTicket(text)).toBeUndefined();
  });
});

describe('the proof of an agent', () => {
  const proofOf = (token: string, nonce: string) => createHmac('sha256', token).update(nonce).digest('hex');

  it('holds for who knows the token of the container, and this nonce', () => {
    const token = secret.agentToken(container);
    expect(secret.provesAgent(container, 'n1', proofOf(token, 'n1'))).toBe(true);
    expect(secret.provesAgent(container, 'n2', proofOf(token, 'n1'))).toBe(false);
  });

  it('fails for the token of another container or installation, and for garbage', () => {
    const neighbour = must(parseContainerId('ws-ffffffffffff'));
    expect(secret.provesAgent(container, 'n', proofOf(secret.agentToken(neighbour), 'n'))).toBe(false);
    expect(secret.provesAgent(container, 'n', proofOf(other.agentToken(container), 'n'))).toBe(false);
    expect(secret.provesAgent(container, 'n', 'zz')).toBe(false);
    expect(secret.provesAgent(container, 'n', '')).toBe(false);
  });
});

describe('the environment of a function', () => {
  const sealed = secret.sealEnvironment('acme/hello', '{"TOKEN":"hunter2"}');

  it('opens for its own function, in its own installation, and for nobody else', () => {
    expect(secret.openEnvironment('acme/hello', sealed)).toBe('{"TOKEN":"hunter2"}');
    expect(secret.openEnvironment('acme/other', sealed)).toBeUndefined();
    expect(secret.openEnvironment('other/hello', sealed)).toBeUndefined();
    expect(other.openEnvironment('acme/hello', sealed)).toBeUndefined();
    expect(secret.openSettings('acme/hello', sealed)).toBeUndefined();
  });

  it('shows nothing of its content', () => {
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(/TOKEN|hunter2/);
  });
});

describe('the revision of a function', () => {
  it('is the same for the same, and can be had by nobody who lacks the secret', () => {
    expect(secret.functionRevision('{}')).toMatch(/^[0-9a-f]{16}$/);
    expect(secret.functionRevision('{}')).toBe(secret.functionRevision('{}'));
    expect(secret.functionRevision('{"a":1}')).not.toBe(secret.functionRevision('{}'));
    expect(other.functionRevision('{}')).not.toBe(secret.functionRevision('{}'));
  });
});
