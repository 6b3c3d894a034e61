import { randomUUID } from 'node:crypto';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runtimePolicy } from '../../../infra/ecs/policies.ts';
import { S3ObjectStore } from '../../../runtime/objects/s3/s3-object-store.ts';
import { keysOf, MIB, putText, streamOf, text } from '../../contract/object-store/contents.ts';
import { GuardedEndpoint } from '../../support/iam/guarded-endpoint.ts';
import { describeWith, objectStore } from '../../support/services/provided.ts';

/** Asked for where an upload in parts is broken off. */
const ONLY_WHEN_BROKEN_OFF = ['s3:AbortMultipartUpload'];
const ROLE = 'arn:aws:iam::123456789012:role/models';

describeWith('s3', 'the object store with no more than the policy of the runtime', () => {
  const prefix = `berth-${randomUUID()}`;
  let guarded: GuardedEndpoint;
  const stores: S3ObjectStore[] = [];
  const policy = () =>
    runtimePolicy({
      cluster: 'arn:aws:ecs:us-east-1:123456789012:cluster/agents',
      taskFamily: 'arn:aws:ecs:us-east-1:123456789012:task-definition/agent',
      executionRole: 'arn:aws:iam::123456789012:role/execution',
      logGroup: 'arn:aws:logs:us-east-1:123456789012:log-group:agents',
      bucket: `arn:aws:s3:::${objectStore().bucket}`,
      prefix,
      bedrockRole: ROLE,
    });
  const env = () => ({ ...objectStore().env, AWS_ENDPOINT_URL_S3: guarded.url });
  const open = (below: string) => {
    const store = new S3ObjectStore({
      location: { bucket: objectStore().bucket, prefix: below },
      env: env(),
    });
    stores.push(store);
    return store;
  };

  beforeEach(async () => {
    guarded = await GuardedEndpoint.before(objectStore().endpoint, () => [policy()]);
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await guarded[Symbol.asyncDispose]();
  });

  it('does all that it can, and asks for every action on objects that the policy has', async () => {
    const store = open(`${prefix}/`);
    await store.ping();
    await putText(store, 'a/note', 'kept');
    await store.put('a/large', streamOf(9 * MIB), { size: 9 * MIB });
    expect(await text(store, 'a/note')).toBe('kept');
    expect(await store.head('a/large')).toMatchObject({ size: 9 * MIB });
    expect([await store.head('a/none'), await store.get('a/none')]).toEqual([undefined, undefined]);
    expect(await keysOf(store)).toEqual(['a/large', 'a/note']);
    await store.delete(['a/large', 'a/note', 'a/none']);
    expect(guarded.refused).toEqual([]);
    const onObjects = policy()
      .Statement.flatMap(({ Action }) => Action)
      .filter((action) => action.startsWith('s3:') && !ONLY_WHEN_BROKEN_OFF.includes(action));
    expect([...guarded.allowed].sort()).toEqual(onObjects.sort());
  });

  it('reaches nothing beside its own prefix', async () => {
    const store = open(`${prefix}-of-another/`);
    const refused = { code: 'INTERNAL', detail: expect.stringContaining('AccessDenied') };
    await expect(putText(store, 'note', 'x')).rejects.toMatchObject(refused);
    await expect(store.get('note')).rejects.toMatchObject(refused);
    await expect(keysOf(store)).rejects.toMatchObject(refused);
    await expect(store.delete(['note'])).rejects.toMatchObject(refused);
    expect([...guarded.allowed]).toEqual([]);
  });

  it('assumes the role for models, and no other', async () => {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = objectStore().env;
    const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
    const client = new STSClient({ endpoint: guarded.url, region: 'us-east-1', credentials, maxAttempts: 1 });
    const assume = (RoleArn: string) =>
      client.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'a-test' }));
    expect((await assume(ROLE)).Credentials?.SessionToken).toEqual(expect.any(String));
    await expect(assume(`${ROLE}-of-another`)).rejects.toThrow();
    expect(guarded.refused).toEqual([expect.stringContaining('may not sts:AssumeRole')]);
    client.destroy();
  });
});
