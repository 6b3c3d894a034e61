import { describe, expect, it } from 'vitest';
import { resolvableNames } from '../../../infra/ecs/dns-firewall.ts';
import { allowList, egressPlan } from '../../../infra/ecs/egress-plan.ts';
import { waysOut } from '../../../infra/ecs/platform-network.ts';

const REGION = 'us-east-1';
const MODELS = `bedrock-runtime.${REGION}.amazonaws.com`;
const plan = (
  allowedDomains: string[] | undefined,
  bedrockRegion?: string,
  region: string | undefined = REGION,
) => egressPlan({ allowedDomains, bedrockRegion, region });

describe('what containers reach, as the network knows it', () => {
  it('by default there are hosts on the internet', () => {
    expect(plan(undefined)).toEqual({
      modelHost: undefined,
      publicPorts: [80, 443],
      privatePorts: [],
      assumesAbroad: false,
    });
  });

  it.each([[['none']], [[MODELS]], [[`${MODELS}:443`]]])(
    '%o needs no way to the internet, where models have an endpoint',
    (allowed) => {
      expect(plan(allowed, REGION)).toMatchObject({ modelHost: MODELS, publicPorts: [] });
    },
  );

  it('models without an endpoint are on the internet', () => {
    expect(plan([MODELS])).toMatchObject({ modelHost: undefined, publicPorts: [80, 443] });
  });

  it('models of another region are reached there, and so is the role for them', () => {
    expect(plan(['none'], 'eu-west-1')).toEqual({
      modelHost: undefined,
      publicPorts: [443],
      privatePorts: [],
      assumesAbroad: true,
    });
  });

  it('a region that nobody knows yet is taken to be that of the models', () => {
    const unknown = egressPlan({ allowedDomains: ['none'], bedrockRegion: 'eu-west-1', region: undefined });
    expect(unknown).toMatchObject({
      modelHost: 'bedrock-runtime.eu-west-1.amazonaws.com',
      assumesAbroad: false,
    });
  });

  it('has each port once, and private hosts apart from public ones', () => {
    const allowed = ['pypi.org', '.example.com', 'git.example.com:8443', 'internal:artifacts.corp:8080'];
    expect(plan(allowed)).toMatchObject({ publicPorts: [80, 443, 8443], privatePorts: [8080] });
  });

  it('marks the host that has an endpoint as internal: the proxy would refuse its private addresses', () => {
    expect(allowList(['pypi.org', MODELS], plan(['pypi.org', MODELS], REGION))).toEqual([
      'pypi.org',
      `internal:${MODELS}:443`,
    ]);
    expect(allowList(['none'], plan(['none'], REGION))).toEqual([`internal:${MODELS}:443`]);
    expect(allowList(['none'], plan(['none']))).toEqual([]);
    expect(allowList(['pypi.org'], plan(['pypi.org']))).toEqual(['pypi.org']);
  });
});

describe('who has a way to the internet', () => {
  it.each([
    ['tasks, whose sidecars are proxies', ['pypi.org'], undefined, false, ['tasks']],
    ['only the proxy, where it is apart', ['pypi.org'], undefined, true, ['proxy']],
    ['nobody, where nothing is out there', ['none'], undefined, false, []],
    ['nobody, where only private hosts are reached', ['internal:git.corp'], undefined, true, []],
    ['the runtime, too, for a role of another region', ['none'], 'eu-west-1', false, ['tasks', 'services']],
  ])('%s', (_, allowed, bedrockRegion, proxyApart, ways) => {
    expect(waysOut(plan(allowed, bedrockRegion), proxyApart)).toEqual(ways);
  });
});

describe('names that may be asked for', () => {
  const names = (allowedDomains: string[], hostname?: string, workspaceDomain?: string) =>
    resolvableNames('agents', REGION, { allowedDomains, hostname, workspaceDomain });

  it("are those of AWS in the region, the load balancer's among them, and of the proxy, where nothing is allowed", () => {
    expect(names(['none'])).toEqual([
      '*.us-east-1.amazonaws.com',
      '*.us-east-1.rds.amazonaws.com',
      '*.us-east-1.elb.amazonaws.com',
      '*.cache.amazonaws.com',
      '*.agents.berth.internal',
    ]);
  });

  it('are also those of allowed hosts, each once, subdomains of a suffix, and no addresses', () => {
    const allowed = ['pypi.org', 'pypi.org:8443', '.example.com', 'internal:git.corp', '10.1.2.3'];
    expect(names(allowed).slice(5)).toEqual(['pypi.org', '*.example.com', 'git.corp']);
  });

  it('are also the name of the API, where it has one of its own, and the hosts of workspaces', () => {
    expect(names(['none'], 'berth.example.com').slice(5)).toEqual(['berth.example.com']);
    expect(names(['none'], undefined, 'workspaces.example.net').slice(5)).toEqual([
      '*.workspaces.example.net',
    ]);
  });
});
