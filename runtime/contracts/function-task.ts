/** A task definition that functions may name on ECS, and where its program listens. */
export interface FunctionTask {
  name: string;
  /** Its ARN; without a revision the newest is meant. */
  taskDefinition: string;
  port: number;
}

const MOST = 200;
const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
const ARN = /^arn:aws[a-z-]*:ecs:[a-z0-9-]+:\d{12}:task-definition\/[\w-]{1,255}(:[1-9]\d{0,9})?$/;

export const FUNCTION_TASKS_WANT = `up to ${MOST} of name=ARN:port separated by commas, each name once (resize=arn:aws:ecs:us-east-1:123456789012:task-definition/resize:7:8080)`;

/** All of them, or all that is wrong with them. */
export function parseFunctionTasks(text: string): { tasks: FunctionTask[] } | { problems: string[] } {
  const read = text.split(',').map((item) => parseOne(item.trim()));
  const tasks = read.flatMap((each) => ('task' in each ? each.task : []));
  const problems = read.flatMap((each) => ('problem' in each ? each.problem : []));
  const names = tasks.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  problems.push(...Array.from(twice, (name) => `${name} is there twice`));
  if (read.length > MOST) problems.push(`it has ${read.length} entries`);
  return problems.length === 0 ? { tasks } : { problems };
}

function parseOne(item: string): { task: FunctionTask } | { problem: string } {
  const problem = (what: string) => ({ problem: `${JSON.stringify(item)} ${what}` });
  const [, name = '', rest = ''] = /^([^=]*)=(.*)$/s.exec(item) ?? [];
  const [, taskDefinition = '', port = ''] = /^(.*):([^:]*)$/s.exec(rest) ?? [];
  if (!item.includes('=')) return problem('has no =');
  if (!NAME.test(name))
    return problem('has a name that is not of lower-case letters, digits and -, at most 40');
  if (!ARN.test(taskDefinition)) return problem('has no ARN of a task definition before its last colon');
  const number = Number(port);
  if (!/^\d{1,5}$/.test(port) || number < 1 || number > 65_535)
    return problem('has no port from 1 to 65535 at its end');
  return { task: { name, taskDefinition, port: number } };
}
