import { z } from 'zod';
import { parseAnyContainerId } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import type { ContainerStats, ContainerView } from '../container-backend.ts';
import { createdAt, ownRole } from '../ownership.ts';

/** What of the engine's replies we read, and in our words. */

const Labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels) => labels ?? {});

export const InspectReply = z.object({
  Id: z.string(),
  Name: z.string(),
  Created: z.string(),
  State: z.object({
    Status: z.string(),
    ExitCode: z.number(),
    OOMKilled: z.boolean(),
    FinishedAt: z.string().default(''),
  }),
  Config: z.object({ Labels }),
  HostConfig: z.object({ NetworkMode: z.string().default('') }).default({ NetworkMode: '' }),
});
export type InspectReply = z.infer<typeof InspectReply>;

export const ListReply = z.array(
  z.object({
    Id: z.string(),
    Names: z.array(z.string()),
    Created: z.number(),
    State: z.string(),
    Labels,
    HostConfig: z.object({ NetworkMode: z.string().default('') }).default({ NetworkMode: '' }),
  }),
);
export type ListReply = z.infer<typeof ListReply>;

export const VolumeReply = z.object({ Labels });

export const InfoReply = z.object({ NCPU: z.number(), SecurityOptions: z.array(z.string()).nullish() });

export const StatsReply = z.object({
  memory_stats: z.object({
    usage: z.number().default(0),
    limit: z.number().default(0),
    stats: z.record(z.string(), z.number()).nullish(),
  }),
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  pids_stats: z.object({ current: z.number().default(0) }).nullish(),
});

export interface EngineFeatures {
  cpus: number;
  apparmor: boolean;
  /** Users of containers have other uids on the host (user namespaces, rootless). */
  remapsUsers: boolean;
}

export function toFeatures(info: z.infer<typeof InfoReply>): EngineFeatures {
  const has = (name: string) =>
    (info.SecurityOptions ?? []).some((option) => option.split(',').includes(`name=${name}`));
  return { cpus: info.NCPU, apparmor: has('apparmor'), remapsUsers: has('userns') || has('rootless') };
}

/** Undefined: not a container of this installation. */
export function toView(reply: InspectReply, installation: string): ContainerView | undefined {
  const view = viewOf({
    engineId: reply.Id,
    name: reply.Name,
    status: reply.State.Status,
    created: Date.parse(reply.Created),
    labels: reply.Config.Labels,
    installation,
  });
  if (view?.state !== 'exited') return view;
  const { ExitCode: code, OOMKilled: oomKilled, FinishedAt } = reply.State;
  const at = Date.parse(FinishedAt);
  return { ...view, exit: { code, oomKilled, ...(at > 0 ? { at } : {}) } };
}

export function toViews(reply: ListReply, installation: string): ContainerView[] {
  return reply.flatMap((row) => {
    const view = viewOf({
      engineId: row.Id,
      name: row.Names[0] ?? '',
      status: row.State,
      created: row.Created * 1000,
      labels: row.Labels,
      installation,
    });
    return view === undefined ? [] : [view];
  });
}

/**
 * Memory without the page cache that the kernel would drop first; its name depends on the cgroup version. The engine
 * does not count what the kernel killed for want of memory: it tells whether that has happened.
 */
export function toStats(
  { memory_stats, cpu_stats, pids_stats }: z.infer<typeof StatsReply>,
  { State }: Pick<InspectReply, 'State'>,
): ContainerStats {
  const cache = memory_stats.stats?.total_inactive_file ?? memory_stats.stats?.inactive_file ?? 0;
  return {
    memoryBytes: Math.max(0, memory_stats.usage - cache),
    memoryLimitBytes: memory_stats.limit,
    cpuNanoseconds: cpu_stats.cpu_usage.total_usage,
    pids: pids_stats?.current ?? 0,
    oomEvents: State.OOMKilled ? 1 : 0,
  };
}

interface Row {
  engineId: string;
  name: string;
  status: string;
  created: number;
  labels: Record<string, string>;
  installation: string;
}

function viewOf(row: Row): ContainerView | undefined {
  const id = parseAnyContainerId(row.name.replace(/^\//, ''));
  const role = ownRole(row.labels, row.installation);
  if (id === undefined || role === undefined || row.labels[LABEL.part] !== undefined) return undefined;
  return {
    id,
    role,
    engineId: row.engineId,
    state: toState(row.status),
    createdAt: createdAt(row.labels, row.created),
    labels: row.labels,
  };
}

function toState(status: string): ContainerView['state'] {
  switch (status) {
    case 'created':
    case 'paused':
      return status;
    case 'running':
    case 'restarting':
      return 'running';
    default: // exited, dead, removing
      return 'exited';
  }
}
