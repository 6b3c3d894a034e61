import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../contracts/environment.ts';
import type { ContainerId } from '../contracts/ids.ts';
import { BedrockCredentials } from '../egress-host/bedrock-credentials.ts';
import { EgressHost } from '../egress-host/egress-host.ts';
import { EgressService } from '../egress-host/egress-service.ts';
import { EgressTotals } from '../egress-host/egress-totals.ts';
import { ProxyChild } from '../egress-host/proxy-child.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import { egressRules } from './egress-rules.ts';
import type { Foundation } from './open-foundation.ts';

/** A program of its own: bundled, or as its source. */
const PROGRAMS = ['../egress/host-main.mjs', '../egress/host-main.ts'].map(
  (path) => new URL(path, import.meta.url),
);

interface Given extends Pick<Foundation, 'backend' | 'installation' | 'state' | 'objects' | 'secret'> {
  config: Config;
  env: Record<string, string | undefined>;
  log: Logger;
}

/** The way out of containers: the rules, and the proxy that keeps to them. Nothing runs yet. */
export function buildEgress(given: Given) {
  const { config, env, backend, installation, log } = given;
  const program = PROGRAMS.find((url) => existsSync(url));
  if (program === undefined) throw new StartFailure('the program of the egress proxy is missing');
  const credentials = bedrockCredentials(config, installation, log, () => void host.refresh());
  const rules = egressRules({ ...given, signing: () => credentials?.current ?? null });
  const totals = new EgressTotals();
  const child = new ProxyChild({ program, env, log, onRestarted: () => void host.restarted() });
  let tell: (container: ContainerId, open: boolean) => void = () => {};
  const host: EgressHost = new EgressHost({
    backend,
    child,
    rules,
    totals,
    service: egressService(given),
    ownerOf: (container) => given.state.conversations.findByContainer(container),
    log,
    onRestarted: (container, open) => tell(container, open),
  });
  return {
    host,
    rules,
    totals,
    /** Tells who has to do with a container that its proxy was started again, and whether it has its way out back. */
    whenRestarted(listener: typeof tell): void {
      tell = listener;
    },
    /** Resolves after the first attempt to get credentials. */
    async start(): Promise<void> {
      await credentials?.start();
    },
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
