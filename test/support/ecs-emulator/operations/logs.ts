import { z } from 'zod';
import { AwsError, invalidParameter } from '../api/aws-error.ts';
import { page } from '../api/page.ts';
import { logPage } from '../logs/log-page.ts';
import { operation } from './operation.ts';

const noGroup = (): AwsError =>
  new AwsError('ResourceNotFoundException', 'The specified log group does not exist.');
const noStream = (): AwsError =>
  new AwsError('ResourceNotFoundException', 'The specified log stream does not exist.');

export const createLogGroup = operation(
  z.strictObject({ logGroupName: z.string().regex(/^[.\-_/#A-Za-z0-9]{1,512}$/) }),
  (world, { logGroupName }) => {
    if (!world.logs.createGroup(logGroupName)) {
      throw new AwsError('ResourceAlreadyExistsException', 'The specified log group already exists');
    }
    return {};
  },
);

export const deleteLogGroup = operation(
  z.strictObject({ logGroupName: z.string() }),
  (world, { logGroupName }) => {
    if (!world.logs.deleteGroup(logGroupName)) throw noGroup();
    return {};
  },
);

export const describeLogStreams = operation(
  z.strictObject({
    logGroupName: z.string(),
    logStreamNamePrefix: z.string().optional(),
    limit: z.int().min(1).max(50).default(50),
    nextToken: z.string().optional(),
  }),
  (world, { logGroupName, logStreamNamePrefix = '', limit, nextToken }) => {
    const streams = world.logs.list(logGroupName);
    if (streams === undefined) throw noGroup();
    const wanted = new Map(
      streams
        .filter(({ name }) => name.startsWith(logStreamNamePrefix))
        .map((stream) => [stream.name, stream]),
    );
    const { items, next } = page([...wanted.keys()], limit, nextToken);
    return {
      logStreams: items.map((name) => ({
        logStreamName: name,
        creationTime: Math.round(wanted.get(name)?.createdAt ?? 0),
        arn: `${world.arns.logGroup(logGroupName)}:log-stream:${name}`,
      })),
      nextToken: next,
    };
  },
);

export const getLogEvents = operation(
  z.strictObject({
    logGroupName: z.string(),
    logStreamName: z.string(),
    startTime: z.int().min(0).optional(),
    endTime: z.int().min(0).optional(),
    nextToken: z.string().optional(),
    limit: z.int().min(1).max(10_000).default(10_000),
    startFromHead: z.boolean().default(false),
  }),
  async (world, { logGroupName, logStreamName, ...reading }) => {
    if (!world.logs.hasGroup(logGroupName)) throw noGroup();
    const events = await world.logs.events(logGroupName, logStreamName);
    if (events === undefined) throw noStream();
    const read = logPage(events, reading);
    if (read === undefined) throw invalidParameter('The specified nextToken is invalid.');
    return read;
  },
);
