import {
  ListTagsForResourceCommand,
  RunTaskCommand,
  type Tag,
  TagResourceCommand,
} from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrangedEmulator, CLUSTER, refusal } from './arranged-emulator.ts';

// API_Tag and "Tagging your Amazon ECS resources": the restrictions on tags.
describe('tags', () => {
  let arranged: ArrangedEmulator;
  beforeAll(async () => {
    arranged = await ArrangedEmulator.start();
    await arranged.register({ tags: [{ key: 'team', value: 'a' }] });
  });
  afterAll(() => arranged[Symbol.asyncDispose]());

  const numbered = (count: number): Tag[] =>
    Array.from({ length: count }, (_, n) => ({ key: `key-${n}`, value: `${n}` }));
  const refused = async (tags: Tag[]) =>
    (await refusal(arranged.ecs.send(new RunTaskCommand(arranged.runInput({ tags }))))).name;

  it('come with the task that RunTask makes, and with its description', async () => {
    const tags = [
      { key: 'workspace', value: 'true' },
      { key: 'workspace.container_id', value: 'ws-0123456789ab' },
    ];
    const arn = await arranged.run({ tags });
    expect((await arranged.describe(arn)).tags).toEqual(tags);
    const listed = await arranged.ecs.send(new ListTagsForResourceCommand({ resourceArn: arn }));
    expect(listed.tags).toEqual(tags);
  });

  it('are at most 50 a resource', async () => {
    const arn = await arranged.run({ tags: numbered(50) });
    expect(await refused(numbered(51))).toBe('InvalidParameterException');
    const more = new TagResourceCommand({ resourceArn: arn, tags: [{ key: 'one-more', value: '' }] });
    expect((await refusal(arranged.ecs.send(more))).name).toBe('InvalidParameterException');
    const same = new TagResourceCommand({ resourceArn: arn, tags: [{ key: 'key-0', value: 'changed' }] });
    await arranged.ecs.send(same);
    expect((await arranged.describe(arn)).tags?.[0]).toEqual({ key: 'key-0', value: 'changed' });
  });

  it('have keys of up to 128 and values of up to 256 characters', async () => {
    await arranged.run({ tags: [{ key: 'ä'.repeat(128), value: 'ö'.repeat(256) }] });
    expect(await refused([{ key: 'k'.repeat(129), value: '' }])).toBe('InvalidParameterException');
    expect(await refused([{ key: 'k', value: 'v'.repeat(257) }])).toBe('InvalidParameterException');
    expect(await refused([{ key: '', value: 'v' }])).toBe('InvalidParameterException');
  });

  it('have letters, numbers, spaces and + - = . _ : / @ only', async () => {
    await arranged.run({ tags: [{ key: 'a B1+-=._:/@', value: 'a B1+-=._:/@' }] });
    expect(await refused([{ key: 'a;b', value: '' }])).toBe('InvalidParameterException');
    expect(await refused([{ key: 'a', value: '{}' }])).toBe('InvalidParameterException');
  });

  it('have no aws: before them in any case, and no key twice', async () => {
    for (const key of ['aws:x', 'AWS:x']) {
      expect(await refused([{ key, value: '' }])).toBe('InvalidParameterException');
    }
    expect(
      await refused([
        { key: 'a', value: '1' },
        { key: 'a', value: '2' },
      ]),
    ).toBe('InvalidParameterException');
  });

  it('come from the task definition and from ECS itself where RunTask says so', async () => {
    const arn = await arranged.run({ propagateTags: 'TASK_DEFINITION', enableECSManagedTags: true });
    expect((await arranged.describe(arn)).tags).toEqual([
      { key: 'team', value: 'a' },
      { key: 'aws:ecs:clusterName', value: CLUSTER },
    ]);
  });
});
