import { z } from 'zod';
import { AwsError, notEmulated } from '../api/aws-error.ts';
import { checkedTags, Tags, tagList } from '../api/tag-rules.ts';
import type { Task } from '../tasks/task.ts';
import type { World } from '../world.ts';
import { operation } from './operation.ts';

export const tagResource = operation(
  z.strictObject({ resourceArn: z.string(), tags: Tags }),
  (world, { resourceArn, tags }) => {
    const task = taggedTask(world, resourceArn);
    for (const [key, value] of checkedTags(tags, task.tags)) task.tags.set(key, value);
    task.changed();
    return {};
  },
);

export const listTagsForResource = operation(
  z.strictObject({ resourceArn: z.string() }),
  (world, { resourceArn }) => ({ tags: tagList(taggedTask(world, resourceArn).tags) }),
);

function taggedTask(world: World, arn: string): Task {
  if (!/:task\//.test(arn)) throw notEmulated('tags of anything but tasks after they are made');
  const task = world.tasks.run(arn)?.task;
  if (task === undefined) {
    throw new AwsError('ResourceNotFoundException', 'The specified task could not be found.');
  }
  return task;
}
