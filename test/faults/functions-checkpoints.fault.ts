import { randomUUID } from 'node:crypto';
import { it } from 'vitest';
import { FUNCTION_CHECKPOINTS } from '../../runtime/lifecycle/checkpoint.ts';
import { eventually } from '../support/cluster.ts';
import type { FunctionCalls } from '../support/function-calls.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith, functionNodeImage } from '../support/services/provided.ts';

// An instance dies at each of its checkpoints. Another one, over the same stores and engine, must find its way: the
// function is served, has no more workers than it may, and the engine none that nobody knows.

const HELLO = "export default () => 'hello'";

interface Scenario {
  /** Of the instance that dies. */
  env?: Record<string, string>;
  /** What brings it there. It may never be answered. */
  act: (dying: FunctionCalls, untilDead: () => Promise<void>) => Promise<unknown>;
}

const call: Scenario = { act: (dying) => dying.call() };
/** Its worker is left alone until it is paused. */
const pause: Scenario = {
  env: { ENABLE_CONTAINER_PAUSE: 'true', PAUSE_IDLE_SECONDS: '1' },
  async act(dying, untilDead) {
    await dying.call();
    await untilDead();
  },
};
/** Its worker is of another revision by then, and ended. */
const roll: Scenario = {
  async act(dying) {
    await dying.call();
    await dying.put({
      image: functionNodeImage(),
      env: { HANDLER_SOURCE: HELLO, ROLLED: randomUUID() },
      scaling: { max_capacity: 1 },
    });
    await dying.call();
  },
};

const SCENARIOS: Record<(typeof FUNCTION_CHECKPOINTS)[number], Scenario> = {
  'worker.reserved': call,
  'worker.created': call,
  'worker.leased': call,
  'worker.answered': call,
  'worker.taken': pause,
  'worker.paused': pause,
  'worker.ending': roll,
  'worker.destroyed': roll,
};

describeWith(FUNCTION_SERVICES, 'an instance that dies at', () => {
  it.concurrent.for(FUNCTION_CHECKPOINTS)(
    '%s leaves nothing that another does not put right',
    async (name, { expect }) => {
      await using here = await FunctionCluster.open();
      const { env, act } = SCENARIOS[name];
      const dying = await here.cluster.start(env, { at: name, do: 'kill' });
      const ofDying = await here.define(dying, HELLO, { max_capacity: 1 });
      const isDead = () => expect(dying.child.signalCode).toBe('SIGKILL');
      await eventually(async () => {
        await act(ofDying, () => eventually(isDead)).catch(() => undefined); // its client is cut off
        isDead();
      }, 240);
      expect(dying.output).toContain(`fault: kill at ${name}`);

      const ofNext = ofDying.at(await here.cluster.start());
      const { worker } = await eventually(async () => {
        const answer = await ofNext.call();
        expect(answer.status).toBe(200);
        return answer;
      });
      await eventually(async () => {
        expect((await here.workers()).map(({ id }) => id)).toEqual([worker]);
        expect(await ofNext.pool()).toMatchObject({ total_workers: 1, idle: 1 });
        expect(await here.cluster.containers()).toBe(2); // with the one that holds its network
      });
    },
  );
});
