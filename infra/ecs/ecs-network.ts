import type { Input, Output, Resource } from '@pulumi/pulumi';

/** Where the platform's parts get their addresses. */
export interface EcsNetwork {
  /** Whether it is the platform's, with its routes and endpoints, or was given, and those are its owner's. */
  own: boolean;
  /** Fails where the platform can't be in it. Whoever makes anything in it waits for this. */
  fits: Output<void>;
  vpcId: Output<string>;
  /** Of a network that was given, the first that it had. */
  range: Output<string>;
  /** Of the conversations' tasks. */
  taskSubnets: Output<string[]>;
  /** Makes something in one of those a zone. How many zones there are is AWS' to say, so what is made comes as an output. */
  inEachZone<T extends Resource>(make: (subnetId: Input<string>, at: number) => T): Output<T[]>;
  /** Of the load balancer, the runtime, the stores and the endpoints: in different zones. */
  serviceSubnets: Output<string[]>;
  serviceRanges: Output<string[]>;
  /** Of the egress proxy, where it is apart. */
  proxySubnets: Output<string[]>;
  /** NAT gateways of its own. */
  gateways: Output<string>[];
  /** Of all its private subnets; none of a network that was given. */
  routeTables: Output<string>[];
  /** Routes, and that subnets have them: there before a task is, and until the last has gone. */
  routes: Resource[];
}
