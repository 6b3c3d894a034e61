import type { Container, Task } from '@aws-sdk/client-ecs';
import {
  type ContainerId,
  parseAnyContainerId,
  parseWorkerId,
  workspaceOfContainer,
} from '../../contracts/ids.ts';
import type { ContainerView } from '../container-backend.ts';
import { createdAt, ownRole } from '../ownership.ts';
import { HELPER_CONTAINER, idIn, PROXY_CONTAINER } from './task-input.ts';

const ENDING = new Set(['DEACTIVATING', 'STOPPING', 'DEPROVISIONING', 'STOPPED']);

/** Of a task of this installation; undefined for anyone else's. */
export function taskView(task: Task, installation: string): ContainerView | undefined {
  const labels = labelsOf(task);
  const id = parseAnyContainerId(idIn(task.startedBy ?? ''));
  const role = ownRole(labels, installation);
  if (id === undefined || role === undefined || task.taskArn === undefined) return undefined;
  const exit = exitOf(task);
  return {
    id,
    role,
    engineId: task.taskArn,
    state: isEnding(task) ? 'exited' : task.lastStatus === 'RUNNING' ? 'running' : 'created',
    createdAt: createdAt(labels, task.createdAt?.getTime() ?? 0),
    labels,
    ...(exit === undefined ? {} : { exit }),
  };
}

export function labelsOf(task: Task): Record<string, string> {
  return Object.fromEntries((task.tags ?? []).map(({ key = '', value = '' }) => [key, value]));
}

/** It stops, or has stopped. */
export function isEnding(task: Task): boolean {
  return ENDING.has(task.lastStatus ?? '') || task.desiredStatus === 'STOPPED';
}

export function hasStopped(task: Task): boolean {
  return task.lastStatus === 'STOPPED';
}

/** Somebody called StopTask. */
export function wasStopped(task: Task): boolean {
  return task.stopCode === 'UserInitiated';
}

/** Of the network interface it has to itself, once that is attached. */
export function addressOf(task: Task): string | undefined {
  const details = (task.attachments ?? [])
    .filter(({ type }) => type === 'ElasticNetworkInterface')
    .flatMap((attachment) => attachment.details ?? []);
  return details.find(({ name }) => name === 'privateIPv4Address')?.value;
}

/** Why it ended, as ECS and its containers say. */
export function whyEnded(task: Task): string {
  const ends = (task.containers ?? []).filter(({ exitCode, reason }) => (exitCode ?? 0) !== 0 || reason);
  const said = [`${task.stopCode ?? task.lastStatus}: ${task.stoppedReason ?? 'no reason given'}`];
  return [...ends.map(describeEnd), ...said].join('; ');
}

function describeEnd({ name, exitCode, reason }: Container): string {
  const code = exitCode === undefined ? 'did not start' : `ended with exit code ${exitCode}`;
  return `${name} ${code}${reason ? ` (${reason})` : ''}`;
}

/** A program of its image runs in it, and no agent of ours. */
export function isApp(id: ContainerId): boolean {
  return isWorkspace(id) || parseWorkerId(id) !== undefined;
}

/** Its name is used again and again, by one task after the other. */
export function isWorkspace(id: ContainerId): boolean {
  return workspaceOfContainer(id) !== undefined;
}

/** Of the container that it is there for, which may be known some time before the task has stopped. */
export function endOf(task: Task): Pick<Container, 'exitCode' | 'reason'> | undefined {
  const others = task.containers?.filter(({ name }) => name !== PROXY_CONTAINER) ?? [];
  const program = others.find(({ name }) => name === HELPER_CONTAINER) ?? others[0];
  const isKnown = hasStopped(task) || (isEnding(task) && program?.exitCode !== undefined);
  return isKnown ? (program ?? {}) : undefined;
}

function exitOf(task: Task): ContainerView['exit'] {
  const end = endOf(task);
  if (end === undefined) return undefined;
  return { code: end.exitCode ?? -1, oomKilled: /OutOfMemory/i.test(end.reason ?? '') };
}
