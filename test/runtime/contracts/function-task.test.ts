import { describe, expect, it } from 'vitest';
import { parseFunctionTasks } from '../../../runtime/contracts/function-task.ts';
import { loadConfig } from '../../../runtime/contracts/load-config.ts';

const ARN = 'arn:aws:ecs:us-east-1:123456789012:task-definition/resize';
const NAME = 'ECS_FUNCTION_TASK_DEFINITIONS';

describe('the task definitions of functions', () => {
  it('have a name, an ARN with or without a revision, and a port', () => {
    expect(
      parseFunctionTasks(`resize=${ARN}:7:8080, a=${ARN}:80,b=${ARN.replace('aws', 'aws-cn')}:1:65535`),
    ).toEqual({
      tasks: [
        { name: 'resize', taskDefinition: `${ARN}:7`, port: 8080 },
        { name: 'a', taskDefinition: ARN, port: 80 },
        { name: 'b', taskDefinition: `${ARN.replace('aws', 'aws-cn')}:1`, port: 65_535 },
      ],
    });
  });

  it.each([
    ['resize', 'has no ='],
    [`Resize=${ARN}:7:80`, 'has a name that'],
    [`=${ARN}:7:80`, 'has a name that'],
    [`${'a'.repeat(41)}=${ARN}:7:80`, 'has a name that'],
    ['resize=resize:7:80', 'has no ARN'],
    [`resize=${ARN}`, 'has no ARN'],
    [`resize=${ARN}:0:80`, 'has no ARN'],
    [`resize=${ARN.replace(':task-definition', ':task')}:7:80`, 'has no ARN'],
    [`resize=${ARN}:7:0`, 'has no port'],
    [`resize=${ARN}:7:65536`, 'has no port'],
    [`resize=${ARN}:7:8e3`, 'has no port'],
    [`resize=${ARN}:7:80,resize=${ARN}:8:80`, 'resize is there twice'],
    [`resize=${ARN}:7:80,`, 'has no ='],
  ])('are not %s', (text, problem) => {
    expect(parseFunctionTasks(text)).toEqual({ problems: [expect.stringContaining(problem)] });
  });

  it('are all told that are wrong, beside what else is', () => {
    const loaded = loadConfig({ [NAME]: `resize,b=${ARN}:7:80,b=${ARN}:7:0,c=x:1`, PORT: 'x' });
    expect(loaded).toEqual({
      ok: false,
      problems: expect.arrayContaining([
        expect.stringMatching(new RegExp(`^${NAME} wants up to 200 of name=ARN:port`)),
        `${NAME}: "resize" has no =`,
        `${NAME}: "b=${ARN}:7:0" has no port from 1 to 65535 at its end`,
        `${NAME}: "c=x:1" has no ARN of a task definition before its last colon`,
        expect.stringMatching(/^PORT wants/),
      ]),
    });
  });

  it('are none unless they are set', () => {
    const loaded = loadConfig({});
    expect(loaded.ok && loaded.config[NAME]).toEqual([]);
  });
});
