import type { ContainerSpec } from '../container-backend.ts';
import { healthAnswers } from './health-answers.ts';
import {
  AGENT_CONTAINER,
  APP_CONTAINER,
  runTaskInput,
  type TaskInput,
  type TaskSettings,
} from './task-input.ts';

/** What sets tasks of one kind apart: how one is asked for, when it is ready, and where it prints. */
export interface TaskKind {
  /** The same for the same container, whoever asks; `instead` names what came of an earlier token, where that is over. */
  input(instead: string): TaskInput;
  /** Resolves once all answers that has to. */
  answers(address: string, signal: AbortSignal): Promise<void>;
  /** What is said while that has not happened. */
  unanswered: string;
  /** The variable that names its task definition. */
  variable: string;
  /** Undefined: it prints where we can't look. */
  log: LogPlace | undefined;
  /** Whether a program that has run and ended is its user's to look into, and no failure to make it. */
  mayEnd: boolean;
}

export interface LogPlace {
  group: string;
  /** Of the stream's name, before the task's id. */
  prefix: string;
}

/** The agent's output in a log group. */
export function agentLog(group: string): LogPlace {
  return { group, prefix: `ecs/${AGENT_CONTAINER}` };
}

/** A workspace's program's. */
export function appLog(group: string): LogPlace {
  return { group, prefix: `ecs/${APP_CONTAINER}` };
}

export function streamOf({ prefix }: LogPlace, taskArn: string): string {
  return `${prefix}/${taskArn.split('/').at(-1)}`;
}

/** A conversation: our agent, and its egress proxy beside it. */
export function agentTask(
  spec: ContainerSpec,
  labels: Record<string, string>,
  settings: TaskSettings & { logGroup: string },
): TaskKind {
  const ports = [settings.agentPort, settings.proxyAdminPort];
  return {
    input: (instead) => runTaskInput(spec, spec.image, labels, settings, instead),
    async answers(address, signal) {
      await Promise.all(ports.map((port) => healthAnswers(address, port, signal)));
    },
    unanswered: 'its agent or its proxy does not answer',
    variable: 'ECS_TASK_DEFINITION',
    log: agentLog(settings.logGroup),
    mayEnd: false,
  };
}

/** A workspace: a program of its image, which is waited for by whoever uses it, and its egress proxy beside it. */
export function appTask(
  spec: ContainerSpec,
  taskDefinition: string,
  labels: Record<string, string>,
  settings: TaskSettings & { logGroup: string },
): TaskKind {
  return {
    input: (instead) => runTaskInput(spec, taskDefinition, labels, settings, instead),
    answers: (address, signal) => healthAnswers(address, settings.proxyAdminPort, signal),
    unanswered: 'its proxy does not answer',
    variable: 'ECS_WORKSPACE_TASK_DEFINITION',
    log: appLog(settings.logGroup),
    mayEnd: true,
  };
}
