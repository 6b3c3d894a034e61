import type { ContainerArgs } from '@pulumi/docker';
import type { Unwrap } from '@pulumi/pulumi';
import type Docker from 'dockerode';

export type ContainerInputs = Unwrap<ContainerArgs>;

/** The engine's words for a container's arguments. */
export function containerSettings(args: ContainerInputs): Docker.ContainerCreateOptions {
  const { healthcheck, capabilities, ports = [], networkMode } = args;
  const published = ports.map(({ internal, external, ip, protocol = 'tcp' }) => ({
    port: `${internal}/${protocol}`,
    binding: { HostIp: ip ?? '0.0.0.0', HostPort: String(external ?? '') },
  }));
  return {
    name: args.name,
    Image: args.image,
    Cmd: args.command,
    Env: args.envs,
    User: args.user,
    StopTimeout: args.stopTimeout,
    Labels: Object.fromEntries((args.labels ?? []).map(({ label, value }) => [label, value])),
    ExposedPorts: Object.fromEntries(published.map(({ port }) => [port, {}])),
    Healthcheck: healthcheck && {
      Test: healthcheck.tests,
      Interval: nanoseconds(healthcheck.interval),
      Timeout: nanoseconds(healthcheck.timeout),
      StartPeriod: nanoseconds(healthcheck.startPeriod),
      Retries: healthcheck.retries,
    },
    HostConfig: {
      Mounts: args.mounts?.map(({ type, source, target, readOnly = false }) => ({
        Type: type as Docker.MountType, // the engine refuses any other
        Source: source ?? '',
        Target: target,
        ReadOnly: readOnly,
      })),
      PortBindings: Object.fromEntries(published.map(({ port, binding }) => [port, [binding]])),
      RestartPolicy: { Name: args.restart ?? 'no' },
      ...(networkMode !== undefined && { NetworkMode: networkMode }),
      ReadonlyRootfs: args.readOnly,
      Tmpfs: args.tmpfs,
      CapDrop: readBack(capabilities?.drops),
      CapAdd: readBack(capabilities?.adds),
      SecurityOpt: args.securityOpts,
      GroupAdd: args.groupAdds,
    },
  };
}

/** Refused unless it is what an engine says of it later: the real provider reads that, and else sees a change for ever. */
function readBack(capabilities: string[] | undefined): string[] | undefined {
  const said = capabilities?.map((name) => (/^(ALL|CAP_.*)$/.test(name) ? name : `CAP_${name}`)).sort();
  if (said?.join() !== capabilities?.join())
    throw new Error(`The engine says ${said?.join()} for the capabilities ${capabilities?.join()}.`);
  return capabilities;
}

/** Of a text such as `2s` or `1m30s`. */
export function nanoseconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const units: Record<string, number> = { ms: 1e6, s: 1e9, m: 60e9, h: 3_600e9 };
  return [...text.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? Number.NaN),
    0,
  );
}
