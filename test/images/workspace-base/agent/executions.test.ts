import { describe, expect, it } from 'vitest';
import type { Execution } from '../../../../images/workspace-base/agent/executions/execution.ts';
import { Executions } from '../../../../images/workspace-base/agent/executions/executions.ts';
import { Problem } from '../../../../images/workspace-base/agent/problem.ts';

const ended = (id: string, bytes = 0): Execution => ({
  id,
  ended: Promise.resolve(),
  bytes,
  attach: () => {},
  cancel: () => 'ended',
  forget: () => {},
});

async function end(executions: Executions, id: string, bytes?: number): Promise<void> {
  await executions.run(id, async () => ended(id, bytes));
  await Promise.resolve(); // the news of the end is a turn away
}

const never = (): Promise<Execution> => Promise.reject(new Error('it was run again'));

describe('the ids of executions that ended', () => {
  it('are remembered, the last 10,000 of them', async () => {
    const executions = new Executions();
    for (let n = 0; n <= 10_000; n += 1) await end(executions, `e${n}`);
    await expect(executions.run('e0', never)).rejects.toThrow('it was run again');
    await expect(executions.run('e1', never)).rejects.toMatchObject({ code: 'EXECUTION_FORGOTTEN' });
    await expect(executions.find('e9000')).rejects.toMatchObject({ code: 'EXECUTION_FORGOTTEN' });
    expect(await executions.find('e10000')).toMatchObject({ id: 'e10000' });
  });

  it('are not those of executions that could not be started', async () => {
    const executions = new Executions();
    const refuse = () => Promise.reject(new Problem('NO_RESOURCES', 'full'));
    const run = executions.run('a', refuse);
    await expect(executions.find('a')).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
    await expect(run).rejects.toMatchObject({ code: 'NO_RESOURCES' });
    expect(executions.running).toEqual([]);
    await expect(executions.find('a')).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
    expect(await executions.run('a', async () => ended('a'))).toMatchObject({ id: 'a' });
  });

  it('are told of one that is being started as of one that runs', async () => {
    const executions = new Executions();
    const start = Promise.withResolvers<Execution>();
    const first = executions.run('a', () => start.promise);
    expect(executions.running).toEqual(['a']);
    const second = executions.run('a', never);
    const found = executions.find('a');
    await expect(executions.run('b', never)).rejects.toMatchObject({ code: 'EXECUTION_RUNNING' });
    start.resolve(ended('a'));
    expect(new Set(await Promise.all([first, second, found])).size).toBe(1);
  });
});
