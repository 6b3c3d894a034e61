import { text } from './reading.ts';
import type { ResourceRule } from './rule.ts';
import { TASK_DEFINITION, taskContainers } from './task-containers.ts';

/** What the runtime calls the containers that user code runs in. */
const OF_USERS = ['workspace-agent', 'workspace-app'];

export const noRoleForAgents: ResourceRule = {
  name: 'no-role-for-agents',
  description:
    'Tasks that run code of users have no task role: any container of a task can read its credentials.',
  level: 'mandatory',
  fix: 'Leave out taskRoleArn, and give what the agent needs to the egress proxy or the runtime',
  checks: {
    [TASK_DEFINITION]: (props) =>
      props.taskRoleArn !== undefined &&
      taskContainers(props).some(({ name }) => OF_USERS.includes(text(name)))
        ? [`The task definition ${text(props.family)} runs code of users with a task role`]
        : [],
  },
};
