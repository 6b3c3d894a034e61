import {
  all,
  ComponentResource,
  type ComponentResourceOptions,
  type Output,
  output,
  runtime,
} from '@pulumi/pulumi';
import { checkPlatform } from '../check-platform.ts';
import { heldBack } from '../held-back.ts';
import type { PlatformArgs } from '../platform-args.ts';
import { VERSION } from '../version.ts';
import { accessLogs, DEFAULT_ACCESS_LOG_DAYS } from './access-logs.ts';
import { conversations } from './conversations.ts';
import { dnsFirewall } from './dns-firewall.ts';
import { ecsCluster, isOnInstances } from './ecs-cluster.ts';
import { ecsEgress } from './ecs-egress.ts';
import { ecsEndpoints } from './ecs-endpoints.ts';
import { ecsEnvironment } from './ecs-environment.ts';
import { ecsLoadBalancer } from './ecs-load-balancer.ts';
import { ecsPlace, regionOf } from './ecs-place.ts';
import { ecsRevisions } from './ecs-revisions.ts';
import { ecsRuntime } from './ecs-runtime.ts';
import { generatedSecrets, givenKey, keptSecrets } from './ecs-secrets.ts';
import { ecsStores } from './ecs-stores.ts';
import { ecsWatch } from './ecs-watch.ts';
import { egressPlan, reachedHosts } from './egress-plan.ts';
import { ecsFunctions, functionPorts } from './function-tasks.ts';
import { DEFAULT_REPLICAS, mostInstances } from './most-instances.ts';
import { clientRanges, platformNetwork } from './platform-network.ts';
import { runtimeAccess } from './runtime-access.ts';
import { securityGroups } from './security-groups.ts';
import { workspaces } from './workspaces.ts';

/** The platform on AWS: a cluster of conversations, the runtime behind a load balancer, its stores and its images. */
export class EcsPlatform extends ComponentResource {
  readonly url: Output<string>;
  readonly apiKey: Output<string>;
  readonly backend: Output<string>;
  readonly version: Output<string>;
  readonly vpcId: Output<string>;
  /** Fails where it can't be in the network that it is given: then nothing of it is registered. */
  readonly fits: Output<void>;

  constructor(name: string, args: Omit<PlatformArgs, 'platform'>, options?: ComponentResourceOptions) {
    const given: PlatformArgs = { ...args, platform: 'ecs' };
    checkPlatform(name, given, options);
    const held = heldBack(options);
    super('berth:index:EcsPlatform', name, {}, held.options);
    const {
      version = VERSION,
      destroyData = false,
      runtimeReplicas: replicas = DEFAULT_REPLICAS,
      certificateArn = '',
      accessLogDays = DEFAULT_ACCESS_LOG_DAYS,
    } = given;
    const reached = egressPlan({
      allowedDomains: reachedHosts(given),
      bedrockRegion: given.bedrockRegion,
      region: regionOf(options),
    });
    const proxyApart = given.egressMode === 'service';
    const onInstances = isOnInstances(given.capacityProvider);
    const place = ecsPlace(name, this);

    const network = platformNetwork(place, { args: given, egress: reached, proxyApart, replicas });
    held.until(network.fits);
    const { groups, rules } = securityGroups(place, network, {
      egress: reached,
      proxyApart,
      onInstances,
      ownNetwork: network.own,
      functionPorts: functionPorts(given.functionTaskDefinitions),
      storesStay: !destroyData,
      clientRanges: clientRanges(given),
    });
    const endpoints = network.own ? ecsEndpoints({ place, network, groups }) : [];
    const firewall =
      network.own && proxyApart
        ? dnsFirewall({
            place,
            vpcId: network.vpcId,
            allowedDomains: reachedHosts(given),
            hostname: given.hostname,
            workspaceDomain: given.workspaceDomain,
          })
        : [];
    const reachable = [...rules, ...endpoints, ...network.routes, ...firewall];

    const { cluster, ready: capacity } = ecsCluster(place, given.capacityProvider);
    const clusterArn = cluster.arn;
    const agents = conversations(place, { clusterArn, version, onInstances });
    const secrets = generatedSecrets(place);
    const kept = keptSecrets(place, secrets, destroyData);
    const stores = ecsStores({ place, network, groups, secrets, destroyData });
    const egress = proxyApart
      ? ecsEgress({
          place,
          network,
          image: agents.proxyImage,
          clusterArn,
          securityGroup: groups.proxy,
          destroyData,
          dependsOn: [...reachable, capacity],
        })
      : undefined;
    const homes = workspaces(place, {
      clusterArn,
      version,
      onInstances,
      network,
      groups,
      agents,
      destroyData,
    });
    const access = runtimeAccess(place, {
      clusterArn,
      agents,
      workspaces: homes,
      functions: ecsFunctions(place, given.functionTaskDefinitions),
      bucketArn: stores.bucketArn,
      bedrockRegion: given.bedrockRegion,
    });
    const front = ecsLoadBalancer({
      place,
      network,
      securityGroupId: groups.alb.id,
      certificateArn,
      hostname: given.hostname,
      hostedZoneId: given.hostedZoneId,
      workspaces: {
        domain: given.workspaceDomain,
        certificateArn: given.workspaceCertificateArn,
        hostedZoneId: given.workspaceHostedZoneId,
      },
      logs: accessLogs(place, network, accessLogDays),
    });
    const environment = ecsEnvironment({
      args: given,
      installation: name,
      url: front.url,
      proxyRanges: network.serviceRanges,
      mostInstances: mostInstances(replicas),
      cluster: clusterArn,
      taskDefinition: agents.task.arn,
      taskSubnets: network.taskSubnets,
      taskSecurityGroup: groups.tasks.id,
      logGroup: agents.log.name,
      workspaces: homes,
      ...stores,
      ...kept,
      anthropicApiKey: givenKey(place, given.anthropicApiKey),
      egressPlan: reached,
      egress,
      bedrockRole: access.bedrockRole,
    });
    const { service, deployed, sweeper } = ecsRuntime({
      place,
      version,
      environment,
      taskRoleArn: access.roleArn,
      cluster,
      subnetIds: network.serviceSubnets,
      securityGroupId: groups.runtime.id,
      targetGroupArn: front.targets.arn,
      replicas,
      destroyData,
      dependsOn: homes.mounted.apply((mounted) => [
        ...reachable,
        ...access.granted,
        capacity,
        front.listener,
        ...(egress ? [egress.service] : []),
        ...mounted,
      ]),
    });

    const services = [deployed, ...(egress ? [egress.deployed] : [])];
    const definitions = [agents.task.arn, homes.task.arn, ...services];
    ecsRevisions({ place, sweeper, deployed: definitions, dependsOn: [service] });
    ecsWatch(place, {
      balancer: front.balancer.arnSuffix,
      targets: front.targets.arnSuffix,
      cluster: cluster.name,
      runtime: service.name,
      runtimeService: service,
      proxy: egress?.service.name,
      redisNodes: stores.redisNodes,
      database: stores.database,
      gateways: network.gateways,
      functions: given.functionTaskDefinitions !== undefined,
      signsModels: given.bedrockRegion !== undefined,
      topicArn: given.alarmTopicArn,
    });

    // A new revision is not known in a preview, but the address is.
    const ready = runtime.isDryRun() ? [] : services;
    this.url = all([front.url, service.id, all(ready)]).apply(([url]) => url);
    this.apiKey = secrets.apiKey;
    this.backend = output('ecs');
    this.version = output(version);
    this.vpcId = network.vpcId;
    this.fits = network.fits;
    this.registerOutputs({
      url: this.url,
      apiKey: this.apiKey,
      backend: this.backend,
      version: this.version,
      vpcId: this.vpcId,
    });
  }
}
