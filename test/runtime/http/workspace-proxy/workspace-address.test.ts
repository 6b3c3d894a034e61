import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../runtime/contracts/load-config.ts';
import {
  pathsRefusal,
  WorkspaceAddresses,
} from '../../../../runtime/http/workspace-proxy/workspace-address.ts';
import { workspace } from '../../../contract/database/workspace-scenario.ts';

const addresses = (base: string, domain?: string) =>
  new WorkspaceAddresses({ domain, base: () => base, refusal: () => undefined });

describe('the address of a workspace', () => {
  it.each([
    ['http://127.0.0.1:7420', undefined, 'http://127.0.0.1:7420/w/one/'],
    ['http://127.0.0.1:7420/', undefined, 'http://127.0.0.1:7420/w/one/'],
    ['http://127.0.0.1:7420', 'workspaces.localhost', 'http://one.workspaces.localhost:7420/'],
    ['http://127.0.0.1:7420', 'workspaces.localhost:80', 'http://one.workspaces.localhost:80/'],
    ['https://api.example.com', 'ws.example.net', 'https://one.ws.example.net/'],
    ['https://api.example.com:8443', 'ws.example.net:443', 'https://one.ws.example.net:443/'],
  ])('with %s and %s is %s', (base, domain, url) => {
    expect(addresses(base, domain).urlOf(workspace())).toBe(url);
  });
});

describe('below /w/', () => {
  it('are the workspaces of one tenant on loopback only', () => {
    expect(pathsRefusal('127.0.0.1', 1)).toBeUndefined();
    expect(pathsRefusal('localhost', 0)).toBeUndefined();
    expect(pathsRefusal('::1', 2)).toContain('WORKSPACE_DOMAIN');
    expect(pathsRefusal('0.0.0.0', 1)).toContain('WORKSPACE_DOMAIN');
  });
});

describe('WORKSPACE_DOMAIN', () => {
  const problems = (env: Record<string, string>) => {
    const loaded = loadConfig(env);
    return loaded.ok ? [] : loaded.problems;
  };

  it.each(['workspaces.localhost', 'ws.example.com', 'ws.example.com:8443'])('takes %s', (domain) => {
    expect(problems({ WORKSPACE_DOMAIN: domain })).toEqual([]);
  });

  it.each([
    'localhost',
    'https://ws.test',
    'ws.test/',
    '.ws.test',
    '*.ws.test',
    'WS.test',
    'ws..test',
    'ws.test:x',
  ])('does not take %s', (domain) => {
    expect(problems({ WORKSPACE_DOMAIN: domain })).toEqual([
      expect.stringContaining('WORKSPACE_DOMAIN wants'),
    ]);
  });

  it('does not take one that the API is below', () => {
    for (const url of ['https://ws.test', 'https://api.ws.test:8443/'])
      expect(problems({ WORKSPACE_DOMAIN: 'ws.test:8443', PUBLIC_URL: url })).toHaveLength(1);
    expect(problems({ WORKSPACE_DOMAIN: 'ws.test', PUBLIC_URL: 'https://api-ws.test' })).toEqual([]);
  });
});
