import { DefaultSecurityGroup } from '@pulumi/aws/ec2/defaultSecurityGroup.js';
import { Eip } from '@pulumi/aws/ec2/eip.js';
import { InternetGateway } from '@pulumi/aws/ec2/internetGateway.js';
import { NatGateway } from '@pulumi/aws/ec2/natGateway.js';
import { Route } from '@pulumi/aws/ec2/route.js';
import { RouteTable } from '@pulumi/aws/ec2/routeTable.js';
import { RouteTableAssociation } from '@pulumi/aws/ec2/routeTableAssociation.js';
import { Subnet } from '@pulumi/aws/ec2/subnet.js';
import { Vpc } from '@pulumi/aws/ec2/vpc.js';
import { getAvailabilityZonesOutput } from '@pulumi/aws/getAvailabilityZones.js';
import { all, type Output, output, type Resource } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';

/** Most of the network is the conversations': each takes an address. */
export const RANGES = {
  network: '10.20.0.0/16',
  tasks: ['10.20.0.0/18', '10.20.64.0/18', '10.20.128.0/18'],
  services: ['10.20.192.0/22', '10.20.196.0/22'],
  proxy: ['10.20.208.0/24', '10.20.209.0/24'],
  public: ['10.20.216.0/24', '10.20.217.0/24'],
} as const;

type Kind = Exclude<keyof typeof RANGES, 'network'>;

const ANYWHERE = '0.0.0.0/0';

/** Whose subnets have a way to the internet. */
export type WayOut = Exclude<Kind, 'public'>;

interface Given {
  place: EcsPlace;
  /** None: there is no way out at all, and no gateway. */
  waysOut: readonly WayOut[];
  /** Whether the egress proxy has subnets of its own. */
  proxyApart: boolean;
  /** Whether stores stay in it when the platform goes: then what they stand in stays, too. */
  storesStay: boolean;
}

/** A network of the platform's own over the zones of its region, all of it private but the gateways' subnets. */
export function ownNetwork({ place, waysOut, proxyApart, storesStay }: Given): EcsNetwork {
  const { name, parent, tags } = place;
  const vpc = new Vpc(
    name,
    {
      cidrBlock: RANGES.network,
      enableDnsSupport: true,
      enableDnsHostnames: true,
      tags: { ...tags, Name: name },
    },
    { parent, retainOnDelete: storesStay },
  );
  // What AWS gives to whoever names no group: nothing goes in or out.
  new DefaultSecurityGroup(name, { vpcId: vpc.id, ingress: [], egress: [], tags }, { parent });

  const subnetsOf = subnetMaker(place, vpc, (kind) => storesStay && kind === 'services');
  const tasks = subnetsOf('tasks');
  const services = subnetsOf('services');
  const proxy = proxyApart ? subnetsOf('proxy') : [];
  const closed = { tasks, services, proxy };
  const routes: Resource[] = [...tasks, ...services, ...proxy].map(({ routed }) => routed);
  if (waysOut.length > 0) {
    const open = subnetsOf('public');
    routes.push(...open.map(({ routed }) => routed));
    const gateways = natGateways(place, vpc, open);
    for (const kind of waysOut) routes.push(...routesOut(place, kind, closed[kind], gateways));
  }
  const ids = (subnets: Routed[]) => all(subnets.map(({ subnet }) => subnet.id));
  return {
    own: true,
    vpcId: vpc.id,
    range: vpc.cidrBlock,
    taskSubnets: ids(tasks),
    serviceSubnets: ids(services),
    serviceRanges: output([...RANGES.services]),
    proxySubnets: ids(proxy),
    routes,
    routeTables: [...tasks, ...services, ...proxy].map(({ table }) => table.id),
  };
}

/** A subnet with a route table of its own. */
interface Routed {
  subnet: Subnet;
  table: RouteTable;
  /** That it is the subnet's. */
  routed: RouteTableAssociation;
}

function subnetMaker(
  { name, parent, tags }: EcsPlace,
  vpc: Vpc,
  stay: (kind: Kind) => boolean,
): (kind: Kind) => Routed[] {
  const zones = getAvailabilityZonesOutput({ state: 'available' }, { parent }).names;
  const zone = (at: number): Output<string> =>
    zones.apply((names) => {
      if (names.length < 2) throw new Error('The platform wants a region with two availability zones.');
      return names[at % names.length] ?? '';
    });
  return (kind) =>
    RANGES[kind].map((cidrBlock, at) => {
      const called = `${name}-${kind}-${at}`;
      const marked = { ...tags, Name: called };
      const subnet = new Subnet(
        called,
        {
          vpcId: vpc.id,
          cidrBlock,
          availabilityZone: zone(at),
          mapPublicIpOnLaunch: false,
          tags: marked,
        },
        { parent, retainOnDelete: stay(kind) },
      );
      const table = new RouteTable(called, { vpcId: vpc.id, tags: marked }, { parent });
      const ids = { subnetId: subnet.id, routeTableId: table.id };
      return { subnet, table, routed: new RouteTableAssociation(called, ids, { parent }) };
    });
}

/** One in each zone that has a public subnet, so that the loss of a zone is not the loss of the way out. */
function natGateways({ name, parent, tags }: EcsPlace, vpc: Vpc, subnets: Routed[]): NatGateway[] {
  const internet = new InternetGateway(name, { vpcId: vpc.id, tags }, { parent });
  return subnets.map(({ subnet, table }, at) => {
    const called = `${name}-nat-${at}`;
    const out = new Route(
      `${name}-public-${at}-out`,
      { routeTableId: table.id, destinationCidrBlock: ANYWHERE, gatewayId: internet.id },
      { parent },
    );
    const address = new Eip(called, { domain: 'vpc', tags }, { parent, dependsOn: [internet] });
    return new NatGateway(
      called,
      { subnetId: subnet.id, allocationId: address.id, tags: { ...tags, Name: called } },
      { parent, dependsOn: [out] },
    );
  });
}

function routesOut(
  { name, parent }: EcsPlace,
  kind: Kind,
  subnets: Routed[],
  gateways: NatGateway[],
): Route[] {
  return subnets.map(({ table }, at) => {
    const gateway = gateways[at % gateways.length];
    if (gateway === undefined) throw new Error('There is no gateway to route to.');
    return new Route(
      `${name}-${kind}-${at}-out`,
      { routeTableId: table.id, destinationCidrBlock: ANYWHERE, natGatewayId: gateway.id },
      { parent },
    );
  });
}
