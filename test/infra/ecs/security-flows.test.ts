import { describe, expect, it } from 'vitest';
import { egressPlan } from '../../../infra/ecs/egress-plan.ts';
import { type FlowSettings, securityFlows } from '../../../infra/ecs/security-flows.ts';

interface Asked extends Partial<Omit<FlowSettings, 'egress'>> {
  allowedDomains?: string[];
  bedrockRegion?: string;
}

function flows({ allowedDomains, bedrockRegion, ...settings }: Asked = {}): string[] {
  const egress = egressPlan({ allowedDomains, bedrockRegion, region: 'us-east-1' });
  return securityFlows({
    egress,
    proxyApart: false,
    onInstances: false,
    ownNetwork: true,
    ...settings,
  })
    .map(({ from, to, port }) => `${from} > ${to} ${port}`)
    .sort();
}

const ALWAYS = [
  'alb > runtime 7420',
  'clients > alb 443',
  'runtime > control-endpoints 443',
  'runtime > postgres 5432',
  'runtime > pull-endpoints 443',
  'runtime > redis 6379',
  'runtime > s3 443',
  'runtime > tasks 8081',
  'runtime > tasks 9000',
  'runtime > workspaces 8080',
  'runtime > workspaces 8081',
  'runtime > workspaces 9000',
  'tasks > pull-endpoints 443',
  'tasks > s3 443',
  'workspaces > files 2049',
  'workspaces > pull-endpoints 443',
  'workspaces > s3 443',
];

describe('what may connect to what', () => {
  it('is exactly this, where containers reach nothing', () => {
    expect(flows({ allowedDomains: ['none'] })).toEqual(ALWAYS);
  });

  it('lets tasks out to the ports of allowed hosts, and to models', () => {
    const allowedDomains = ['pypi.org:443', 'internal:git.corp:22'];
    const more = flows({ allowedDomains, bedrockRegion: 'us-east-1' }).filter(
      (flow) => !ALWAYS.includes(flow),
    );
    expect(more).toEqual(
      ['tasks', 'workspaces'].flatMap((group) => [
        `${group} > internet 443`,
        `${group} > model-endpoint 443`,
        `${group} > private 22`,
      ]),
    );
  });

  it('in strict mode lets the proxy out, and tasks to the proxy', () => {
    const allowedDomains = ['pypi.org:443', 'internal:git.corp:22'];
    const strict = flows({ allowedDomains, bedrockRegion: 'us-east-1', proxyApart: true });
    expect(strict.filter((flow) => flow.startsWith('tasks'))).toEqual([
      'tasks > proxy 8080',
      'tasks > pull-endpoints 443',
      'tasks > s3 443',
    ]);
    expect(strict.filter((flow) => flow.startsWith('workspaces'))).toEqual([
      'workspaces > files 2049',
      'workspaces > proxy 8080',
      'workspaces > pull-endpoints 443',
      'workspaces > s3 443',
    ]);
    expect(strict.filter((flow) => flow.includes('proxy'))).toEqual([
      'proxy > control-endpoints 443',
      'proxy > internet 443',
      'proxy > model-endpoint 443',
      'proxy > private 22',
      'proxy > pull-endpoints 443',
      'proxy > s3 443',
      'runtime > proxy 8081',
      'tasks > proxy 8080',
      'workspaces > proxy 8080',
    ]);
  });

  it('lets the runtime out only for a role of another region', () => {
    expect(flows({ allowedDomains: ['none'], bedrockRegion: 'eu-west-1' })).toContain(
      'runtime > internet 443',
    );
    expect(flows()).not.toContain('runtime > internet 443');
  });

  it('lets instances to the endpoints that we make, in a network of our own', () => {
    const more = flows({ allowedDomains: ['none'], onInstances: true }).filter(
      (flow) => !ALWAYS.includes(flow),
    );
    expect(more).toEqual([
      'network > control-endpoints 443',
      'network > instance-endpoints 443',
      'network > pull-endpoints 443',
    ]);
    expect(flows({ allowedDomains: ['none'], onInstances: true, ownNetwork: false })).toEqual(ALWAYS);
  });
});
