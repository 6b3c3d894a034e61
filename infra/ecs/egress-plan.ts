import { VARIABLES } from '../../runtime/contracts/environment.ts';
import type { PlatformArgs } from '../platform-args.ts';

/** What containers may reach, as the network must know it. */
export interface EgressPlan {
  /** The host of models that has an endpoint in the network. */
  modelHost: string | undefined;
  /** Ports of hosts that are on the internet: with any, there is a way there. */
  publicPorts: number[];
  /** Ports of hosts that the operator says are private. */
  privatePorts: number[];
  /** Whether the runtime assumes the role for models in another region, whose STS has no endpoint here. */
  assumesAbroad: boolean;
}

interface Given {
  allowedDomains: readonly string[] | undefined;
  bedrockRegion: string | undefined;
  /** The platform's own, where it is known; else models are taken to be in it. */
  region: string | undefined;
}

const DEFAULT_PORTS = [80, 443];
const ANTHROPIC = 'api.anthropic.com:443';

/** Hosts that proxies reach: those that containers may, and the one that is called with the operator's own key. */
export function reachedHosts(args: Pick<PlatformArgs, 'allowedDomains' | 'anthropicApiKey'>): string[] {
  return [...hosts(args.allowedDomains), ...(args.anthropicApiKey === undefined ? [] : [ANTHROPIC])];
}

export function egressPlan({ allowedDomains, bedrockRegion, region }: Given): EgressPlan {
  const abroad = assumesAbroad(bedrockRegion, region);
  const modelHost = bedrockRegion === undefined || abroad ? undefined : modelsOf(bedrockRegion);
  const entries = hosts(allowedDomains).map(parse);
  const portsOf = (internal: boolean) =>
    entries
      .filter((entry) => entry.internal === internal && entry.host !== modelHost)
      .flatMap(({ ports }) => ports);
  const publicPorts = portsOf(false).concat(abroad ? [443] : []);
  return {
    modelHost,
    publicPorts: sorted(publicPorts),
    privatePorts: sorted(portsOf(true)),
    assumesAbroad: abroad,
  };
}

/** Whether models are in another region than the platform, as far as its own is known. */
export function assumesAbroad(bedrockRegion: string | undefined, region: string | undefined): boolean {
  return bedrockRegion !== undefined && region !== undefined && bedrockRegion !== region;
}

/**
 * The allow-list as the proxy wants it. The name of a host that has an endpoint leads to private addresses, which the
 * proxy takes only where they are meant.
 */
export function allowList(allowedDomains: readonly string[] | undefined, plan: EgressPlan): string[] {
  const { modelHost } = plan;
  const given = hosts(allowedDomains);
  if (modelHost === undefined) return given;
  return [...given.filter((entry) => parse(entry).host !== modelHost), `internal:${modelHost}:443`];
}

/** The hosts of the list by their names alone; those of a suffix begin with a dot. */
export function hostNames(allowedDomains: readonly string[] | undefined): string[] {
  return hosts(allowedDomains).map((entry) => parse(entry).host);
}

function modelsOf(region: string): string {
  return `bedrock-runtime.${region}.amazonaws.com`;
}

function hosts(allowedDomains: readonly string[] | undefined): string[] {
  const given = allowedDomains ?? VARIABLES.EGRESS_ALLOWED_DOMAINS.default;
  return given.filter((entry) => entry !== 'none');
}

function parse(entry: string): { internal: boolean; host: string; ports: number[] } {
  const [, internal, host = '', port] = /^(internal:)?(\.?[^:]+)(?::(\d+))?$/i.exec(entry) ?? [];
  return {
    internal: internal !== undefined,
    host: host.toLowerCase(),
    ports: port === undefined ? DEFAULT_PORTS : [Number(port)],
  };
}

function sorted(ports: number[]): number[] {
  return [...new Set(ports)].sort((a, b) => a - b);
}
