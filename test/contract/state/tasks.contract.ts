import { describe, expect, it } from 'vitest';
import { container } from './names.ts';
import type { OpenState } from './state-under-test.ts';

const ARN = 'arn:aws:ecs:us-east-1:123456789012:task/berth/0123456789abcdef0123456789abcdef';

export function tasksContract(open: OpenState): void {
  describe('the task of a container', () => {
    it('is not known at first, and then what was told last', async () => {
      const { tasks } = (await open()).state;

      expect(await tasks.get(container(1))).toBeUndefined();
      await tasks.put(container(1), { arn: ARN });
      expect(await tasks.get(container(1))).toEqual({ arn: ARN });
      await tasks.put(container(1), { arn: ARN, address: '10.0.0.7' });
      expect(await tasks.get(container(1))).toEqual({ arn: ARN, address: '10.0.0.7' });
      expect(await tasks.get(container(2))).toBeUndefined();
    });

    it('has not the address of the one that it was before', async () => {
      const { tasks } = (await open()).state;
      await tasks.put(container(1), { arn: ARN, address: '10.0.0.7' });

      await tasks.put(container(1), { arn: `${ARN}0` });
      expect(await tasks.get(container(1))).toEqual({ arn: `${ARN}0` });
    });

    it('is forgotten with its address, and alone', async () => {
      const { tasks } = (await open()).state;
      await tasks.put(container(1), { arn: ARN, address: '10.0.0.7' });
      await tasks.put(container(2), { arn: ARN, address: '10.0.0.8' });

      await tasks.forget(container(1));
      await tasks.forget(container(1));
      expect(await tasks.get(container(1))).toBeUndefined();
      expect(await tasks.get(container(2))).toEqual({ arn: ARN, address: '10.0.0.8' });
      await tasks.put(container(1), { arn: ARN });
      expect(await tasks.get(container(1))).toEqual({ arn: ARN });
    });

    it('counts for nothing else that the state knows', async () => {
      const { state, dump } = await open();
      const before = await dump();

      await state.tasks.put(container(1), { arn: ARN, address: '10.0.0.7' });
      expect(await dump()).toEqual(before);
      expect((await state.conversations.places([container(1)])).size).toBe(0);
    });
  });
}
