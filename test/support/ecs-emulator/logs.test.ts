import {
  CreateLogGroupCommand,
  DescribeLogStreamsCommand,
  GetLogEventsCommand,
  type GetLogEventsCommandInput,
  type GetLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../must.ts';
import { ArrangedEmulator, refusal } from './arranged-emulator.ts';
import { stubBacking } from './stub/stub-backing.ts';

const GROUP = '/ecs/workspace-agent';

describe('CloudWatch Logs', () => {
  let arranged: ArrangedEmulator;
  let write: (line: string) => void;

  beforeEach(async () => {
    const backing = stubBacking({
      startAgent: ({ log }) => {
        write = log;
        return undefined;
      },
    });
    arranged = await ArrangedEmulator.start({ backing });
  });
  afterEach(() => arranged[Symbol.asyncDispose]());

  const started = async (group = GROUP): Promise<string> => {
    await arranged.register({
      executionRoleArn: 'arn:aws:iam::123456789012:role/execution',
      containerDefinitions: [
        {
          name: 'app',
          image: 'app',
          logConfiguration: {
            logDriver: 'awslogs',
            options: {
              'awslogs-group': group,
              'awslogs-region': 'us-east-1',
              'awslogs-stream-prefix': 'ecs',
            },
          },
        },
      ],
    });
    return arranged.run();
  };
  const streamOf = (arn: string): string => `ecs/app/${arn.split('/').at(-1)}`;
  const read = (stream: string, input: Partial<GetLogEventsCommandInput> = {}) =>
    arranged.logs.send(new GetLogEventsCommand({ logGroupName: GROUP, logStreamName: stream, ...input }));
  const messages = ({ events }: GetLogEventsCommandOutput) => events?.map(({ message }) => message);

  // "Using the awslogs log driver": prefix-name/container-name/ecs-task-id.
  it('have the lines of a container in the stream prefix/container/task id, also after its end', async () => {
    const arn = await started();
    await arranged.reached(arn, 'RUNNING');
    write('one');
    write('two');
    expect(messages(await read(streamOf(arn), { startFromHead: true }))).toEqual(['one', 'two']);
    arranged.emulator.stopFromOutside(arn);
    await arranged.reached(arn, 'STOPPED');
    expect(messages(await read(streamOf(arn)))).toEqual(['one', 'two']);
    const { logStreams } = await arranged.logs.send(
      new DescribeLogStreamsCommand({ logGroupName: GROUP, logStreamNamePrefix: 'ecs/app/' }),
    );
    expect(logStreams).toMatchObject([{ logStreamName: streamOf(arn) }]);
  });

  // API_GetLogEvents: limit, startFromHead, and the tokens, which are the same again at the end of the stream.
  it('are read in pages, from the end or from the head', async () => {
    const arn = await started();
    await arranged.reached(arn, 'RUNNING');
    for (let n = 0; n < 5; n += 1) write(`${n}`);
    const stream = streamOf(arn);
    const last = await read(stream, { limit: 2 });
    expect(messages(last)).toEqual(['3', '4']);
    const earlier = await read(stream, { limit: 2, nextToken: must(last.nextBackwardToken) });
    expect(messages(earlier)).toEqual(['1', '2']);

    const first = await read(stream, { limit: 3, startFromHead: true });
    expect(messages(first)).toEqual(['0', '1', '2']);
    const rest = await read(stream, { limit: 3, nextToken: must(first.nextForwardToken) });
    expect(messages(rest)).toEqual(['3', '4']);
    const end = await read(stream, { nextToken: must(rest.nextForwardToken) });
    expect(messages(end)).toEqual([]);
    expect(end.nextForwardToken).toBe(rest.nextForwardToken);
    write('5');
    expect(messages(await read(stream, { nextToken: must(end.nextForwardToken) }))).toEqual(['5']);
    expect((await refusal(read(stream, { nextToken: 'x' }))).name).toBe('InvalidParameterException');
  });

  it('answer a group or a stream that is not there with ResourceNotFoundException', async () => {
    expect(await refusal(read('ecs/app/none'))).toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'The specified log stream does not exist.',
    });
    expect(await refusal(read('x', { logGroupName: 'none' }))).toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'The specified log group does not exist.',
    });
  });

  // "Stopped tasks error messages", ResourceInitializationError.
  it('are needed: a task whose log group is not there fails to start', async () => {
    const failed = await arranged.reached(await started('/ecs/other'), 'STOPPED');
    expect(failed.stopCode).toBe('TaskFailedToStart');
    expect(failed.stoppedReason).toContain('The specified log group does not exist.');
    await arranged.logs.send(new CreateLogGroupCommand({ logGroupName: '/ecs/other' }));
    await arranged.reached(await arranged.run(), 'RUNNING');
  });
});
