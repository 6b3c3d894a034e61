import { ComponentResource } from '@pulumi/pulumi';
import { beforeEach, describe, expect, it } from 'vitest';
import { ecsEndpoints } from '../../../infra/ecs/ecs-endpoints.ts';
import { ecsPlace } from '../../../infra/ecs/ecs-place.ts';
import { egressPlan } from '../../../infra/ecs/egress-plan.ts';
import { ownNetwork } from '../../../infra/ecs/own-network.ts';
import { securityGroups } from '../../../infra/ecs/security-groups.ts';
import { ACCOUNT, REGION, recordAws, registering } from './aws-mocks.ts';

const ENDPOINT = 'aws:ec2/vpcEndpoint:VpcEndpoint';
const GROUP = 'aws:ec2/securityGroup:SecurityGroup';
const INGRESS = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';
const EGRESS = 'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule';

const aws = recordAws();
beforeEach(() => aws.resources.splice(0));

interface Asked {
  bedrockRegion?: string;
  onInstances?: boolean;
  storesStay?: boolean;
  allowedDomains?: string[];
  clientRanges?: string[];
}

async function endpoints({
  bedrockRegion,
  onInstances = false,
  storesStay = true,
  allowedDomains,
  clientRanges,
}: Asked = {}) {
  await registering(() => {
    const place = ecsPlace('agents', new ComponentResource('test:index:Parent', 'parent'));
    const network = ownNetwork({ place, range: '10.20.0.0/16', waysOut: [], proxyApart: true, storesStay });
    const egress = egressPlan({ allowedDomains, bedrockRegion, region: REGION });
    const { groups } = securityGroups(place, network, {
      egress,
      proxyApart: true,
      onInstances,
      ownNetwork: true,
      storesStay,
      clientRanges,
    });
    ecsEndpoints({ place, network, groups });
  });
}

describe('endpoints in a network of its own', () => {
  const ALWAYS = ['ecr.api', 'ecr.dkr', 'ecs', 'elasticfilesystem', 'logs', 's3', 'secretsmanager', 'sts'];

  it.each<[string, Asked, string[]]>([
    ['those that everyone needs', {}, ALWAYS],
    ['one for models, where there are any', { bedrockRegion: REGION }, ['bedrock-runtime', ...ALWAYS]],
    ['none for models of another region', { bedrockRegion: 'eu-west-1' }, ALWAYS],
    ['those of instances', { onInstances: true }, ['ecs-agent', 'ecs-telemetry', ...ALWAYS]],
  ])('are %s', async (_, asked, expected) => {
    await endpoints(asked);
    const services = aws.of(ENDPOINT).map(({ inputs }) => inputs.serviceName);
    expect(services.sort()).toEqual(expected.map((service) => `com.amazonaws.${REGION}.${service}`).sort());
  });

  it('serve callers of the account only; S3 in every private route table', async () => {
    await endpoints();
    for (const { inputs } of aws.of(ENDPOINT)) {
      const [first] = JSON.parse(inputs.policy).Statement;
      expect(first.Condition.StringEquals['aws:PrincipalAccount']).toBe(ACCOUNT);
    }
    const { inputs } = aws.named(ENDPOINT, 'agents-s3');
    expect(inputs.vpcEndpointType).toBe('Gateway');
    expect(inputs.routeTableIds).toHaveLength(7);
    expect(JSON.parse(inputs.policy).Statement[1]).toEqual({
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::prod-${REGION}-starport-layer-bucket/*`,
    });
  });
});

describe('security groups', () => {
  it('have each rule as a resource with its reason, and let nobody in from outside the network', async () => {
    await endpoints();
    const rules = [...aws.of(INGRESS), ...aws.of(EGRESS)];
    expect(rules.filter(({ inputs }) => !inputs.description)).toEqual([]);
    expect(aws.of(GROUP).filter(({ inputs }) => inputs.ingress || inputs.egress)).toEqual([]);
    const byRange = aws.of(INGRESS).filter(({ inputs }) => !inputs.referencedSecurityGroupId);
    expect(byRange.map(({ name, inputs }) => [name, inputs.cidrIpv4])).toEqual([
      ['agents-clients-to-alb-443', '10.20.0.0/16'],
    ]);
  });

  it('let in those ranges that may call the API, each once and by its name, in place of the network', async () => {
    await endpoints({ clientRanges: ['10.0.0.0/16', '192.168.4.0/22', '10.0.0.0/16'] });
    const byRange = aws.of(INGRESS).filter(({ inputs }) => !inputs.referencedSecurityGroupId);
    expect(byRange.map(({ name, inputs }) => [name, inputs.cidrIpv4])).toEqual([
      ['agents-clients-to-alb-443-10-0-0-0-16', '10.0.0.0/16'],
      ['agents-clients-to-alb-443-192-168-4-0-22', '192.168.4.0/22'],
    ]);
  });

  it('have a rule at both ends of a flow between two of them', async () => {
    await endpoints();
    const into = aws.named(INGRESS, 'agents-runtime-to-redis-6379').inputs;
    const out = aws.named(EGRESS, 'agents-runtime-to-redis-6379').inputs;
    expect(into.referencedSecurityGroupId).toBe(out.securityGroupId);
    expect(out.referencedSecurityGroupId).toBe(into.securityGroupId);
    expect([into.fromPort, into.toPort, into.ipProtocol]).toEqual([6379, 6379, 'tcp']);
  });

  it('reach private hosts in private ranges, and S3 by its own list of prefixes', async () => {
    await endpoints({ allowedDomains: ['internal:git.corp:22'] });
    const ranges = aws.of(EGRESS).filter(({ name }) => name.startsWith('agents-proxy-to-private-22'));
    expect(ranges.map(({ inputs }) => inputs.cidrIpv4)).toEqual([
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
    ]);
    const { inputs } = aws.named(EGRESS, 'agents-tasks-to-s3-443');
    expect(inputs.prefixListId).toBe(`pl-of-com.amazonaws.${REGION}.s3`);
  });

  it('stay with the stores that they protect, and no others do', async () => {
    await endpoints();
    const kept = () => aws.of(GROUP).filter(({ retained }) => retained);
    expect(
      kept()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['agents-postgres', 'agents-redis']);
    aws.resources.splice(0);
    await endpoints({ storesStay: false });
    expect(kept()).toEqual([]);
  });
});
