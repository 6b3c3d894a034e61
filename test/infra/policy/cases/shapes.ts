import type { Props } from '../../../../infra/policy/rule.ts';

/** Of a rule and a type: what is well, and what is not, with words that the rule says of it. */
export interface Cases {
  rule: string;
  type: string;
  passes: Props[];
  fails: [Props, string][];
}

export const TASK = 'aws:ecs/taskDefinition:TaskDefinition';
export const CONTAINER = 'docker:index/container:Container';

/** A task definition of one container. */
export const task = (container: Record<string, unknown>, more: Props = {}): Props => ({
  family: 'agents',
  containerDefinitions: JSON.stringify([{ name: 'main', ...container }]),
  ...more,
});
