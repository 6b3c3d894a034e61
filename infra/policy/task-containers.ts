import { list, object, text } from './reading.ts';
import type { Check, Props } from './rule.ts';

export const TASK_DEFINITION = 'aws:ecs/taskDefinition:TaskDefinition';
export const DOCKER_CONTAINER = 'docker:index/container:Container';

/** The containers of a task definition. */
export function taskContainers(props: Props): Props[] {
  return list(JSON.parse(text(props.containerDefinitions) || '[]')).map(object);
}

/** Checks each container of a task definition; problems begin with its name. */
export function eachContainer(check: (container: Props) => string[]): Check {
  return (props) =>
    taskContainers(props).flatMap((container) =>
      check(container).map((problem) => `The container ${text(container.name)} ${problem}`),
    );
}
