import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import type { ContainerSpec } from '../container-backend.ts';
import { healthAnswers } from './health-answers.ts';
import { AGENT_CONTAINER, runTaskInput, type TaskSettings } from './task-input.ts';

/** What sets tasks of one kind apart: how one is asked for, when it is ready, and where it prints. */
export interface TaskKind {
  /** The same for the same container, whoever asks; `instead` names what came of an earlier token, where that is over. */
  input(instead: string): Omit<RunTaskCommandInput, 'cluster'>;
  /** Resolves once all answers that has to. */
  answers(address: string, signal: AbortSignal): Promise<void>;
  /** What is said while that has not happened. */
  unanswered: string;
  /** The variable that names its task definition. */
  variable: string;
  /** Undefined: it prints where we can't look. */
  log: LogPlace | undefined;
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
    input: (instead) => runTaskInput(spec, labels, settings, instead),
    async answers(address, signal) {
      await Promise.all(ports.map((port) => healthAnswers(address, port, signal)));
    },
    unanswered: 'its agent or its proxy does not answer',
    variable: 'ECS_TASK_DEFINITION',
    log: agentLog(settings.logGroup),
  };
}
