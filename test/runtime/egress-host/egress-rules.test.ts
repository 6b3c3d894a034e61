import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EgressRules } from '../../../runtime/egress-host/egress-rules.ts';
import { ConversationEgressSettings } from '../../../runtime/egress-host/egress-settings.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import { DirectoryObjectStore } from '../../../runtime/objects/directory/directory-object-store.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { conversation, tenant } from '../../contract/state/names.ts';

const owner = { tenant: tenant('acme'), conversation: conversation('c1') };
const anthropic = { base_url: 'https://api.anthropic.com', api_key: 'key' };

describe('the rules of a container', () => {
  let folder: string;
  let objects: DirectoryObjectStore;
  let settings: ConversationEgressSettings;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-egress-'));
    objects = await DirectoryObjectStore.open(folder);
    const secret = new InstallationSecret(randomBytes(32));
    settings = new ConversationEgressSettings({ copies: openMemoryState().egressSettings, objects, secret });
  });

  afterAll(async () => {
    await objects.close();
    rmSync(folder, { recursive: true });
  });

  const rules = (ceiling: string[]) =>
    new EgressRules({ allowedDomains: ['api.anthropic.com'], ceiling, anthropic }, settings, () => null);

  it("are the operator's where the conversation has none, or is nobody's yet", async () => {
    const expected = {
      allowed_domains: ['api.anthropic.com'],
      mcp_domains: ['pypi.org'],
      mcp_servers: {},
      signing: null,
      anthropic,
    };
    expect(await rules(['pypi.org']).stateFor(undefined)).toEqual(expected);
    expect(await rules(['pypi.org']).stateFor(owner)).toEqual(expected);
  });

  it("are the conversation's own, as far as the ceiling still has them", async () => {
    await settings.change(owner, { allowedDomains: ['pypi.org', 'gone.example'] });
    expect((await rules(['pypi.org']).stateFor(owner)).allowed_domains).toEqual(['pypi.org']);
  });

  it.each([
    [['.example.com'], ['a.example.com'], true],
    [['example.com'], ['example.com:443'], true],
    [['example.com'], ['example.com:8443'], false],
    [['example.com'], ['.example.com'], false],
    [['example.com'], ['internal:example.com'], false],
    [['internal:example.com'], ['internal:example.com'], true],
    [['example.com'], ['other.example'], false],
  ])('with a ceiling of %j take %j: %s', (ceiling, allowedDomains, taken) => {
    const check = () => rules(ceiling).check({ allowedDomains });
    if (taken) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  });

  it.each([
    ['https://mcp.example.com/v1', true],
    ['https://mcp.example.com:8443/v1', false],
    ['https://other.example/v1', false],
    ['http://169.254.169.254/latest', false],
    ['http://127.0.0.1:2375/', false],
    ['http://inside.example/mcp', true],
  ])('take an MCP server at %s: %s', (real_base_url, taken) => {
    const check = () =>
      rules(['mcp.example.com', 'internal:inside.example']).check({
        mcpServers: { one: { real_base_url, headers: {} } },
      });
    if (taken) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  });

  it('say what is wrong with an entry that is none', () => {
    expect(() => rules(['example.com']).check({ allowedDomains: ['http://example.com/'] })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });
});
