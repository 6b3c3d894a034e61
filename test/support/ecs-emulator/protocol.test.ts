import { CloudWatchLogsClient, DescribeLogStreamsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeClustersCommand,
  ECSClient,
  ListClustersCommand,
  ListTasksCommand,
} from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ArrangedEmulator, CLUSTER, refusal } from './arranged-emulator.ts';

// The rules: "AWS JSON 1.1 protocol" (Smithy), "Signature Version 4", "Common Error Types" of the ECS API Reference.
describe('the protocol', () => {
  let arranged: ArrangedEmulator;
  beforeAll(async () => {
    arranged = await ArrangedEmulator.start();
  });
  afterAll(() => arranged[Symbol.asyncDispose]());

  const SIGNED =
    'AWS4-HMAC-SHA256 Credential=id/20260101/us-east-1/ecs/aws4_request, SignedHeaders=host;x-amz-date, Signature=';
  const post = (headers: Record<string, string>, body = '{}') =>
    fetch(arranged.emulator.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AmazonEC2ContainerServiceV20141113.ListTasks',
        'x-amz-date': '20260101T000000Z',
        ...headers,
      },
    });
  const code = async (response: Response): Promise<unknown> => {
    const { __type: type } = (await response.json()) as { __type?: unknown }; // an object, as every answer
    return [response.status, type];
  };

  it('is found by the SDK through the variables of its environment', async () => {
    for (const [name, value] of Object.entries(arranged.emulator.env)) vi.stubEnv(name, value);
    try {
      const ecs = new ECSClient();
      const { clusters } = await ecs.send(new DescribeClustersCommand({ clusters: [CLUSTER] }));
      expect(clusters?.[0]?.clusterName).toBe(CLUSTER);
      const logs = new CloudWatchLogsClient();
      const { logStreams } = await logs.send(
        new DescribeLogStreamsCommand({ logGroupName: '/ecs/workspace-agent' }),
      );
      expect(logStreams).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('refuses a request without a signature: MissingAuthenticationToken', async () => {
    expect(await code(await post({}))).toEqual([400, 'MissingAuthenticationTokenException']);
  });

  it('refuses an Authorization header of another shape: IncompleteSignature', async () => {
    expect(await code(await post({ authorization: 'Bearer x' }))).toEqual([
      400,
      'IncompleteSignatureException',
    ]);
    expect(await code(await post({ authorization: `${SIGNED}short` }))).toEqual([
      400,
      'IncompleteSignatureException',
    ]);
  });

  it('refuses a signature for another region or service', async () => {
    const signature = 'a'.repeat(64);
    const elsewhere = `${SIGNED}${signature}`.replace('us-east-1', 'eu-west-1');
    expect(await code(await post({ authorization: elsewhere }))).toEqual([400, 'InvalidSignatureException']);
    const another = `${SIGNED}${signature}`.replace('/ecs/', '/s3/');
    expect(await code(await post({ authorization: another }))).toEqual([400, 'InvalidSignatureException']);
  });

  it('refuses a body that is no JSON object: SerializationException', async () => {
    const authorization = SIGNED + 'a'.repeat(64);
    expect(await code(await post({ authorization }, '[]'))).toEqual([400, 'SerializationException']);
    expect(await code(await post({ authorization }, 'x'))).toEqual([400, 'SerializationException']);
  });

  it('answers an operation that it lacks with UnknownOperationException, and logs the call', async () => {
    const error = await refusal(arranged.ecs.send(new ListClustersCommand({})));
    expect(error).toMatchObject({ name: 'UnknownOperationException', $metadata: { httpStatusCode: 400 } });
    expect(arranged.emulator.calls.of('ListClusters')).toMatchObject([
      { status: 400, error: 'UnknownOperationException' },
    ]);
  });

  it('gives every answer a request id, errors too', async () => {
    const { $metadata } = await arranged.ecs.send(new ListTasksCommand({ cluster: CLUSTER }));
    expect($metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const error = await refusal(arranged.ecs.send(new ListTasksCommand({ cluster: 'none' })));
    expect(error.$metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers a cluster that is not there with ClusterNotFoundException; none named is "default"', async () => {
    const error = await refusal(arranged.ecs.send(new ListTasksCommand({})));
    expect(error).toMatchObject({ name: 'ClusterNotFoundException', message: 'Cluster not found.' });
  });
});
