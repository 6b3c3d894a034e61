import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../contracts/environment.ts';
import type { ContainerId } from '../contracts/ids.ts';
import { EgressWatch } from '../conversations/egress-watch.ts';
import { SidecarWatch } from '../conversations/sidecar-watch.ts';
import { BedrockCredentials } from '../egress-host/bedrock-credentials.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';
import { EgressHost } from '../egress-host/egress-host.ts';
import type { EgressRules } from '../egress-host/egress-rules.ts';
import { EgressService } from '../egress-host/egress-service.ts';
import { EgressTotals } from '../egress-host/egress-totals.ts';
import { ProxyChild } from '../egress-host/proxy-child.ts';
import type { ProxyRefusal } from '../egress-host/proxy-refusal.ts';
import { SidecarEgress } from '../egress-host/sidecar-egress.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import { egressRules } from './egress-rules.ts';
import type { Foundation } from './open-foundation.ts';

/** A program of its own: bundled, or as its source. */
const PROGRAMS = ['../egress/host-main.mjs', '../egress/host-main.ts'].map(
  (path) => new URL(path, import.meta.url),
);

const PROXY_SECONDS = 5;
/** Every sidecar is asked for its counters so often. */
const SIDECARS_SECONDS = 30;

interface Given
  extends Pick<Foundation, 'backend' | 'installation' | 'state' | 'objects' | 'secret' | 'instance'> {
  config: Config;
  env: Record<string, string | undefined>;
  log: Logger;
}

export interface Egress {
  containers: ContainerEgress;
  rules: EgressRules;
  totals: EgressTotals;
  /** Brings the totals up to date, where that takes no time. */
  count(): Promise<void>;
  /** Looks after the proxies, those of other containers than conversations', too, again and again. */
  watch(
    lost: OnWayOutLost,
    others: () => Promise<ContainerId[]>,
  ): { everySeconds: number; runOnce(): Promise<void>; close(): Promise<void> };
  /** Each refusal as it happens; none where the proxies are elsewhere, and tell only how many. */
  onRefused: ((tell: (refusal: ProxyRefusal) => void) => void) | undefined;
  /** Resolves after the first attempt to get credentials. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** A container's proxy was started again, and connections through it broke; or it has none any more. */
type OnWayOutLost = (container: ContainerId, open: boolean) => void;

/** The way out of containers: the rules, and the proxies that keep to them. Nothing runs yet. */
export function buildEgress(given: Given): Egress {
  return given.backend.kind === 'ecs' ? besideContainers(given) : onThisMachine(given);
}

/** Each container has a proxy of its own beside it. */
function besideContainers(given: Given): Egress {
  const { config, backend, secret, state, installation, instance, log } = given;
  const credentials = bedrockCredentials(config, installation, log, () => {});
  const rules = egressRules({ ...given, signing: () => credentials?.current ?? null });
  const totals = new EgressTotals();
  const service = egressService(given);
  const now = () => state.conversations.now();
  const containers = new SidecarEgress({ backend, secret, rules, totals, service, now });
  return {
    containers,
    rules,
    totals,
    count: async () => {},
    watch(lost, others) {
      const onLost = async (container: ContainerId) => lost(container, false);
      const watch = new SidecarWatch({
        state,
        rules,
        totals,
        egress: containers,
        service,
        others,
        instance,
        log,
        onLost,
      });
      return { everySeconds: SIDECARS_SECONDS, runOnce: () => watch.runOnce(), close: () => watch.close() };
    },
    onRefused: undefined,
    start: async () => credentials?.start(),
    close: async () => credentials?.close(),
  };
}

/** One proxy for all containers of this machine. */
function onThisMachine(given: Given): Egress {
  const { config, env, backend, state, installation, log } = given;
  const program = PROGRAMS.find((url) => existsSync(url));
  if (program === undefined) throw new StartFailure('the program of the egress proxy is missing');
  const credentials = bedrockCredentials(config, installation, log, () => void host.refresh());
  const rules = egressRules({ ...given, signing: () => credentials?.current ?? null });
  const totals = new EgressTotals();
  const child = new ProxyChild({
    program,
    env,
    log,
    onRefused: (refusal) => tellRefused(refusal),
    onRestarted: () => void host.restarted(),
  });
  let tellRefused = (_refusal: ProxyRefusal) => {};
  const service = egressService(given);
  let tell: OnWayOutLost = () => {};
  const host: EgressHost = new EgressHost({
    backend,
    child,
    rules,
    totals,
    service,
    ownerOf: (container) => state.conversations.findByContainer(container),
    log,
    onRestarted: (container, open) => tell(container, open),
  });
  return {
    containers: host,
    rules,
    totals,
    count: () => host.look(),
    watch(lost, others) {
      tell = lost;
      const watch = new EgressWatch({ state, egress: host, others, log });
      return { everySeconds: PROXY_SECONDS, runOnce: () => watch.runOnce(), close: async () => {} };
    },
    onRefused:
      service === undefined
        ? (listener) => {
            tellRefused = listener;
          }
        : undefined,
    start: async () => credentials?.start(),
    async close(): Promise<void> {
      credentials?.close();
      await child.close();
    },
  };
}

/** Where strict mode has the rules; none: they are with the proxy on this machine. */
export function egressService({
  config,
  state,
  secret,
}: Pick<Given, 'config' | 'state' | 'secret'>): EgressService | undefined {
  const { EGRESS_MODE: mode, EGRESS_PROXY_URL: url, EGRESS_PROXY_ADMIN_KEY: adminKey } = config;
  if (mode !== 'service' || url === undefined || adminKey === undefined) return undefined;
  const adminUrl = config.EGRESS_PROXY_ADMIN_URL ?? `http://${new URL(url).hostname}:8081`;
  return new EgressService({ url, adminUrl, adminKey, secret, now: () => state.conversations.now() });
}

function bedrockCredentials(
  config: Config,
  installation: string,
  log: Logger,
  onRenewed: () => void,
): BedrockCredentials | undefined {
  const { BEDROCK_REGION: region, BEDROCK_ROLE_ARN: roleArn } = config;
  if (region === undefined || roleArn === undefined) return undefined;
  const baseUrl = config.BEDROCK_API_URL ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  const settings = { region, roleArn, baseUrl, sessionName: `berth-${installation}` };
  return new BedrockCredentials(settings, log, onRenewed);
}
