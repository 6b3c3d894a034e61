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

export const DEFAULT_VPC_CIDR = '10.20.0.0/16';

type Kind = 'tasks' | 'services' | 'proxy' | 'public';

/** The parts of a range of 16 bits. Most of it is the conversations': each takes an address. */
export function subnetRanges(network: string): Record<Kind, string[]> {
  const [first, second] = network.split('.');
  const part = (rest: string) => `${first}.${second}.${rest}`;
  return {
    tasks: ['0.0/18', '64.0/18', '128.0/18'].map(part),
    services: ['192.0/22', '196.0/22'].map(part),
    proxy: ['208.0/24', '209.0/24'].map(part),
    public: ['216.0/24', '217.0/24'].map(part),
  };
}

/** Zones where Fargate or endpoints are not, by the names that they have in every account. */
const ZONES_WITHOUT = ['use1-az3', 'usw1-az2', 'cac1-az4', 'apne1-az3', 'cnn1-az3', 'cnn1-az4'];

const ANYWHERE = '0.0.0.0/0';

/** Whose subnets have a way to the internet. */
export type WayOut = Exclude<Kind, 'public'>;

interface Given {
  place: EcsPlace;
  /** Its range, of 16 bits. */
  range: string;
  /** None: there is no way out at all, and no gateway. */
  waysOut: readonly WayOut[];
  /** Whether the egress proxy has subnets of its own. */
  proxyApart: boolean;
  /** Whether stores stay in it when the platform goes: then what they stand in stays, too. */
  storesStay: boolean;
}

/** A network of the platform's own over the zones of its region, all of it private but the gateways' subnets. */
export function ownNetwork({ place, range, waysOut, proxyApart, storesStay }: Given): EcsNetwork {
  const { name, parent, tags } = place;
  const vpc = new Vpc(
    name,
    {
      cidrBlock: range,
      enableDnsSupport: true,
      enableDnsHostnames: true,
      tags: { ...tags, Name: name },
    },
    { parent, retainOnDelete: storesStay },
  );
  // What AWS gives to whoever names no group: nothing goes in or out.
  new DefaultSecurityGroup(name, { vpcId: vpc.id, ingress: [], egress: [], tags }, { parent });

  const zones = zonesOf(place);
  const subnetsOf = subnetMaker(
    place,
    vpc,
    zones,
    subnetRanges(range),
    (kind) => storesStay && kind === 'services',
  );
  const tasks = subnetsOf('tasks');
  const services = subnetsOf('services');
  const proxy = proxyApart ? subnetsOf('proxy') : [];
  const closed = { tasks, services, proxy };
  const open = waysOut.length > 0 ? subnetsOf('public') : [];
  const gateways = open.length > 0 ? natGateways(place, vpc, open) : [];
  const routes: Resource[] = [
    ...[...tasks, ...services, ...proxy, ...open].map(({ routed }) => routed),
    ...waysOut.flatMap((kind) => routesOut(place, kind, closed[kind], gateways)),
  ];
  const ids = (subnets: Routed[]) => all(subnets.map(({ subnet }) => subnet.id));
  return {
    own: true,
    fits: output(undefined),
    vpcId: vpc.id,
    range: vpc.cidrBlock,
    taskSubnets: ids(tasks),
    // By subnets, and not by their ids, which are not known in a preview: zones are.
    inEachZone: (make) =>
      zones.apply(({ length }) => tasks.slice(0, length).map(({ subnet }, at) => make(subnet.id, at))),
    serviceSubnets: ids(services),
    serviceRanges: output(subnetRanges(range).services),
    proxySubnets: ids(proxy),
    gateways: gateways.map(({ id }) => id),
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

function zonesOf({ parent }: EcsPlace): Output<string[]> {
  return getAvailabilityZonesOutput(
    {
      state: 'available',
      filters: [{ name: 'opt-in-status', values: ['opt-in-not-required'] }], // and no local zones
      excludeZoneIds: ZONES_WITHOUT,
    },
    { parent },
  ).names;
}

/** The subnets of one kind follow the zones in their order, and begin again after the last. */
function subnetMaker(
  { name, parent, tags }: EcsPlace,
  vpc: Vpc,
  zones: Output<string[]>,
  ranges: Record<Kind, string[]>,
  stay: (kind: Kind) => boolean,
): (kind: Kind) => Routed[] {
  const zone = (at: number): Output<string> =>
    zones.apply((names) => {
      if (names.length < 2) throw new Error('The platform wants a region with two availability zones.');
      return names[at % names.length] ?? '';
    });
  return (kind) =>
    ranges[kind].map((cidrBlock, at) => {
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
        // A zone that comes or goes moves no subnet that is there.
        { parent, retainOnDelete: stay(kind), ignoreChanges: ['availabilityZone'] },
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
