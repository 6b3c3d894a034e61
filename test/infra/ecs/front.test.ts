import { runtime, secret } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { outcome } from '../registered.ts';
import { SECRET } from '../secret-marks.ts';
import { ACCOUNT, REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

const RECORD = 'aws:route53/record:Record';
const BALANCER = 'aws:lb/loadBalancer:LoadBalancer';
const BUCKET = 'aws:s3/bucket:Bucket';
const FLOWS = 'aws:ec2/flowLog:FlowLog';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const aws = recordAws();
const platform = (args?: Omit<PlatformArgs, 'platform'>) => RecordedPlatform.made(aws, args);
const named = { hostname: 'berth.example.com', hostedZoneId: 'Z0ABC' };

beforeAll(() => runtime.setConfig('aws:region', REGION));

describe('a platform with a name', () => {
  it('is called by it, and says so to the runtime', async () => {
    const made = await platform({ hostname: named.hostname });
    expect(await outcome(made.platform.url)).toBe('https://berth.example.com');
    expect(made.config().PUBLIC_URL).toBe('https://berth.example.com');
    expect(made.names(RECORD)).toEqual([]);
  });

  it('has the name made in the zone that is given', async () => {
    const { inputs } = (await platform(named)).named(RECORD, 'agents');
    expect(inputs).toMatchObject({
      zoneId: 'Z0ABC',
      name: 'berth.example.com',
      type: 'A',
      aliases: [{ name: 'internal-agents.elb.amazonaws.com', zoneId: 'Z35SXDOTRQ7X7K' }],
    });
  });
});

describe('workspaces with hosts of their own', () => {
  const CERTIFICATES = 'aws:lb/listenerCertificate:ListenerCertificate';
  const workspaces = {
    workspaceDomain: 'workspaces.example.net',
    workspaceCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0def5678',
    workspaceHostedZoneId: 'Z0DEF',
  };

  it('are reached as the API is, with a certificate and a name for all of them', async () => {
    const made = await platform({ ...named, ...workspaces });
    expect(made.config()).toMatchObject({
      PUBLIC_URL: 'https://berth.example.com',
      WORKSPACE_DOMAIN: 'workspaces.example.net',
    });
    expect(made.named(CERTIFICATES, 'agents-workspaces').inputs).toEqual({
      listenerArn: 'arn-of-agents',
      certificateArn: workspaces.workspaceCertificateArn,
    });
    expect(made.names(RECORD)).toEqual(['agents', 'agents-workspaces']);
    expect(made.named(RECORD, 'agents-workspaces').inputs).toMatchObject({
      zoneId: 'Z0DEF',
      name: '*.workspaces.example.net',
      type: 'A',
      aliases: [{ name: 'internal-agents.elb.amazonaws.com' }],
    });
    // Whatever host it is for, a request goes to the runtime, with the host that it names.
    const { inputs } = made.named('aws:lb/listener:Listener', 'agents');
    expect(inputs.defaultActions).toMatchObject([{ type: 'forward' }]);
    expect(made.named(BALANCER, 'agents').inputs.preserveHostHeader).toBeUndefined();
  });

  it("need neither a zone of ours nor a certificate of their own, where the API's has their name", async () => {
    const made = await platform({ workspaceDomain: 'workspaces.example.net' });
    expect(made.config().WORKSPACE_DOMAIN).toBe('workspaces.example.net');
    expect([...made.names(CERTIFICATES), ...made.names(RECORD)]).toEqual([]);
  });

  it('are nowhere unless that is said', async () => {
    const made = await platform();
    expect(made.config().WORKSPACE_DOMAIN).toBeUndefined();
    expect([...made.names(CERTIFICATES), ...made.names(RECORD)]).toEqual([]);
  });

  it('have names that a network in strict mode resolves', async () => {
    const made = await platform({ egressMode: 'service', ...workspaces });
    const lists = 'aws:route53/resolverFirewallDomainList:ResolverFirewallDomainList';
    expect(made.named(lists, 'agents-resolvable').inputs.domains).toContain('*.workspaces.example.net');
  });
});

describe('logs of requests and of what passes over the network', () => {
  it('are kept in a bucket of their own that only those who write them reach, and go after their days', async () => {
    const made = await platform({ accessLogDays: 30 });
    const { inputs: balancer, after } = made.named(BALANCER, 'agents');
    expect(balancer.accessLogs).toEqual({ bucket: 'agents-access-logs-1a2b3c4', enabled: true });
    expect(after.join()).toContain('BucketPolicy::agents-access-logs');
    expect(made.named(FLOWS, 'agents').inputs).toMatchObject({
      trafficType: 'ALL',
      logDestinationType: 's3',
      logDestination: 'arn:aws:s3:::agents-access-logs-1a2b3c4',
    });
    const of = (kind: string) => made.named(`aws:s3/b${kind.slice(1)}:${kind}`, 'agents-access-logs').inputs;
    expect(of('BucketPublicAccessBlock')).toMatchObject({ blockPublicPolicy: true, blockPublicAcls: true });
    expect(of('BucketServerSideEncryptionConfiguration').rules).toHaveLength(1);
    expect(of('BucketLifecycleConfiguration').rules).toMatchObject([{ expiration: { days: 30 } }]);
    const statements = JSON.parse(of('BucketPolicy').policy).Statement;
    expect(statements[0]).toMatchObject({ Effect: 'Deny', Principal: '*' });
    for (const { Effect, Principal, Condition } of statements.slice(1)) {
      expect([Effect, Object.keys(Principal)]).toEqual(['Allow', ['Service']]);
      expect(Condition.ArnLike['aws:SourceArn']).toContain(`:${ACCOUNT}:`);
    }
  });

  it('go with the platform, and are none where nobody wants them', async () => {
    const logs = (await platform()).named(BUCKET, 'agents-access-logs');
    expect([logs.retained, logs.inputs.forceDestroy]).toEqual([false, true]);
    const without = await platform({ accessLogDays: 0 });
    expect(without.names(BUCKET)).toEqual(['agents-objects']);
    expect(without.names(FLOWS)).toEqual([]);
    expect(without.named(BALANCER, 'agents').inputs.accessLogs).toBeUndefined();
  });
});

describe('a platform with a key of Anthropic', () => {
  it('passes it on by the store of secrets, as a key that is known only later, too', async () => {
    const made = await platform({ anthropicApiKey: secret('sk-ant-of-the-operator') });
    expect(made.environment().ANTHROPIC_API_KEY).toBe('sk-ant-of-the-operator');
    const version = 'aws:secretsmanager/secretVersion:SecretVersion';
    expect(made.named(version, 'agents-anthropic-api-key').inputs.secretString).toMatchObject(SECRET);
    expect((await platform()).environment().ANTHROPIC_API_KEY).toBeUndefined();
  });

  it('lets its proxies reach Anthropic, which containers by themselves may not', async () => {
    const args = { anthropicApiKey: 'sk-ant-of-the-operator', allowedDomains: ['none'] };
    const made = await platform({ ...args, egressMode: 'service' });
    expect(made.config().EGRESS_ALLOWED_DOMAINS).toEqual([]);
    expect(made.names('aws:ec2/natGateway:NatGateway')).toHaveLength(2);
    const out = 'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule';
    expect(made.named(out, 'agents-proxy-to-internet-443').inputs.cidrIpv4).toBe('0.0.0.0/0');
    const lists = 'aws:route53/resolverFirewallDomainList:ResolverFirewallDomainList';
    expect(made.named(lists, 'agents-resolvable').inputs.domains).toContain('api.anthropic.com');
  });
});
