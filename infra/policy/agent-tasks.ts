import { text } from './reading.ts';
import type { ResourceRule } from './rule.ts';
import { TASK_DEFINITION, taskContainers } from './task-containers.ts';

/** What the runtime calls the container that user code runs in. */
const AGENT = 'workspace-agent';

export const noRoleForAgents: ResourceRule = {
  name: 'no-role-for-agents',
  description:
    'Tasks that run code of users have no task role: any container of a task can read its credentials.',
  level: 'mandatory',
  fix: 'Leave out taskRoleArn, and give what the agent needs to the egress proxy or the runtime',
  checks: {
    [TASK_DEFINITION]: (props) =>
      props.taskRoleArn !== undefined && taskContainers(props).some(({ name }) => name === AGENT)
        ? [`The task definition ${text(props.family)} runs the agent with a task role`]
        : [],
  },
};
