import { ListTaskDefinitionsCommand } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler, type RevisionsOrder } from '../../../infra/ecs/sweeper-function/index.mjs';
import { activeFamilies, deregister, planRevisions } from '../../../infra/ecs/sweeper-function/revisions.mjs';
import { ArrangedEmulator } from '../../support/ecs-emulator/arranged-emulator.ts';

const arn = (revision: string) => `arn:aws:ecs:us-east-1:123456789012:task-definition/${revision}`;
const RUNTIME = 'agents-runtime';
const AGENT = 'agents-workspace-agent';

describe('revisions that are to go', () => {
  it('are all of the families but those that are kept, by ARN or by name', () => {
    const active = ['agents-runtime:1', 'agents-runtime:2', 'agents-runtime:3', 'agents-workspace-agent:1'];
    const kept = [arn('agents-runtime:3'), 'agents-runtime:2', arn('agents-workspace-agent:1')];
    expect(planRevisions(active.map(arn), [RUNTIME, AGENT], kept)).toEqual([arn('agents-runtime:1')]);
    expect(planRevisions(active.map(arn), [RUNTIME, AGENT], [])).toEqual(active.map(arn));
  });

  it('are none of another family, however it begins', () => {
    const active = ['agents-runtime-2:1', 'agents:1', 'my-agents-runtime:1'].map(arn);
    expect(planRevisions(active, [RUNTIME], [])).toEqual([]);
  });

  it('are told apart by the whole of their number', () => {
    const active = ['agents-runtime:1', 'agents-runtime:10'].map(arn);
    expect(planRevisions(active, [RUNTIME], [arn('agents-runtime:10')])).toEqual([arn('agents-runtime:1')]);
  });
});

describe('the function, told what is deployed', () => {
  let arranged: ArrangedEmulator;
  let revisions: { runtime: string[]; agent: string[] };
  beforeEach(async () => {
    arranged = await ArrangedEmulator.start({ rates: {} });
    const registered = async (family: string, count: number) => {
      const made: string[] = [];
      for (let at = 0; at < count; at++) made.push(await arranged.register({ family }));
      return made;
    };
    revisions = { runtime: await registered(RUNTIME, 4), agent: await registered(AGENT, 2) };
    for (const [name, value] of Object.entries(arranged.emulator.env)) vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await arranged[Symbol.asyncDispose]();
  });

  const active = async () => {
    const { taskDefinitionArns = [] } = await arranged.ecs.send(new ListTaskDefinitionsCommand({}));
    return taskDefinitionArns.map((arn) => arn.slice(arn.lastIndexOf('/') + 1));
  };
  const order = (runtime: number, agent: number): RevisionsOrder => ({
    families: [AGENT, RUNTIME],
    revisions: [revisions.agent[agent - 1] ?? '', revisions.runtime[runtime - 1] ?? ''],
  });
  type Action = 'create' | 'update' | 'delete';
  const enter = (now: RevisionsOrder, action: Action, before: RevisionsOrder | null) =>
    handler({ ...now, tf: { action, prev_input: before } });

  it('keeps it and what was deployed before, also where one in between never ran', async () => {
    await enter(order(4, 2), 'update', order(2, 2));
    expect(await active()).toEqual([`${RUNTIME}:2`, `${RUNTIME}:4`, `${AGENT}:2`].sort());
  });

  it('keeps the one revision of what has not changed', async () => {
    await enter(order(4, 1), 'update', order(3, 1));
    expect(await active()).toEqual([`${RUNTIME}:3`, `${RUNTIME}:4`, `${AGENT}:1`].sort());
  });

  it.each<[string, Action, boolean]>([
    ['at the first deployment', 'create', false],
    ['when the platform goes, which still wants them', 'delete', true],
    ['without knowing what was before', 'update', false],
  ])('does nothing %s', async (_, action, knows) => {
    expect(await enter(order(4, 2), action, knows ? order(3, 2) : null)).toEqual({ deregistered: [] });
    expect(await active()).toHaveLength(6);
  });

  it('goes on where a call before has failed', async () => {
    const keep = { families: [RUNTIME], kept: order(4, 2).revisions };
    arranged.emulator.faults.add({
      operation: 'DeregisterTaskDefinition',
      kind: 'error',
      code: 'ClientException',
    });
    await expect(deregister(arranged.ecs, keep)).rejects.toThrow();
    await deregister(arranged.ecs, keep);
    expect(await active()).toEqual([`${RUNTIME}:4`, `${AGENT}:1`, `${AGENT}:2`].sort());
  });

  it('says what is left where its time is up, and to go on', async () => {
    const gone = { families: [RUNTIME], kept: [], giveUpMs: -1 };
    await expect(deregister(arranged.ecs, gone)).rejects.toThrow(
      '4 task definitions are still active: AWS deregisters about one in a second. Run pulumi destroy again.',
    );
  });

  it('looks for no families without a beginning, which would be those of everyone', async () => {
    await expect(activeFamilies(arranged.ecs, '')).rejects.toThrow('those of others');
  });

  it('bears to be slowed down', async () => {
    arranged.emulator.faults.add({ operation: 'DeregisterTaskDefinition', kind: 'throttle', times: 5 });
    await enter(order(4, 2), 'update', order(3, 2));
    expect(await active()).toEqual([`${RUNTIME}:3`, `${RUNTIME}:4`, `${AGENT}:2`].sort());
  }, 180_000);

  it('reads all pages of what there is', async () => {
    for (let at = 0; at < 100; at++) await arranged.register({ family: RUNTIME });
    await deregister(arranged.ecs, { families: [RUNTIME], kept: [] });
    expect(await active()).toEqual([`${AGENT}:1`, `${AGENT}:2`]);
  });
});
