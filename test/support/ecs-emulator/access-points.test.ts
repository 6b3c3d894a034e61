import {
  CreateAccessPointCommand,
  type CreateAccessPointCommandInput,
  DeleteAccessPointCommand,
  DescribeAccessPointsCommand,
  DescribeFileSystemsCommand,
  EFSClient,
} from '@aws-sdk/client-efs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../must.ts';
import { ArrangedEmulator, refusal } from './arranged-emulator.ts';

// The rules: API_CreateAccessPoint, API_DescribeAccessPoints and API_DeleteAccessPoint of the EFS user guide.
describe('access points', () => {
  let arranged: ArrangedEmulator;
  let efs: EFSClient;
  let FileSystemId: string;
  beforeAll(async () => {
    arranged = await ArrangedEmulator.start();
    const { url, region, fileSystems } = arranged.emulator;
    FileSystemId = must(fileSystems[0]);
    const credentials = { accessKeyId: 'test', secretAccessKey: 'not-checked' };
    efs = new EFSClient({ endpoint: url, region, credentials, maxAttempts: 1 });
  });
  afterAll(async () => {
    efs.destroy();
    await arranged[Symbol.asyncDispose]();
  });

  let made = 0;
  const create = (changes: Partial<CreateAccessPointCommandInput> = {}) => {
    made += 1;
    return efs.send(new CreateAccessPointCommand({ ClientToken: `token-${made}`, FileSystemId, ...changes }));
  };
  const find = async (AccessPointId = '') =>
    must((await efs.send(new DescribeAccessPointsCommand({ AccessPointId }))).AccessPoints?.[0]);
  const refused = async (changes: Partial<CreateAccessPointCommandInput>) => {
    const { name, message } = await refusal(create(changes));
    return `${name}: ${message}`;
  };

  it('are made with a user, a folder and tags, and told of with the name among these', async () => {
    const asked = {
      PosixUser: { Uid: 1000, Gid: 1000 },
      RootDirectory: {
        Path: '/a/b',
        CreationInfo: { OwnerUid: 1000, OwnerGid: 1000, Permissions: '0755' },
      },
      Tags: [{ Key: 'Name', Value: 'mine' }],
    };
    const { AccessPointId, LifeCycleState } = await create(asked);
    expect(LifeCycleState).toBe('creating');
    expect(await find(AccessPointId)).toMatchObject({ ...asked, Name: 'mine', LifeCycleState: 'available' });
  });

  it('are one for a token, as long as it is there', async () => {
    const { AccessPointId = '' } = await create({ ClientToken: 'once' });
    const again = refusal(create({ ClientToken: 'once', RootDirectory: { Path: '/other' } }));
    expect(await again).toMatchObject({
      name: 'AccessPointAlreadyExists',
      AccessPointId,
      $metadata: { httpStatusCode: 409 },
    });
    await efs.send(new DeleteAccessPointCommand({ AccessPointId }));
    expect((await create({ ClientToken: 'once' })).AccessPointId).not.toBe(AccessPointId);
  });

  it('take a while to be made and to go, if told so', async () => {
    const { accessPoints, clock } = arranged.emulator;
    accessPoints.delays = { creating: 60_000, deleting: 60_000 };
    const { AccessPointId } = await create();
    expect((await find(AccessPointId)).LifeCycleState).toBe('creating');
    clock.advance(60_000);
    expect((await find(AccessPointId)).LifeCycleState).toBe('available');
    await efs.send(new DeleteAccessPointCommand({ AccessPointId }));
    expect((await find(AccessPointId)).LifeCycleState).toBe('deleting');
    clock.advance(60_000);
    expect((await refusal(find(AccessPointId))).name).toBe('AccessPointNotFound');
    accessPoints.delays = { creating: 0, deleting: 0 };
  });

  it('are listed of a file system, in pages', async () => {
    const ids = new Set(
      (await Promise.all([create(), create(), create()])).map((each) => each.AccessPointId),
    );
    const listed: (string | undefined)[] = [];
    let NextToken: string | undefined;
    do {
      const page = await efs.send(
        new DescribeAccessPointsCommand({ FileSystemId, MaxResults: 2, NextToken }),
      );
      expect(page.AccessPoints?.length).toBeLessThanOrEqual(2);
      listed.push(...(page.AccessPoints ?? []).map(({ AccessPointId }) => AccessPointId));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    expect(new Set(listed).size).toBe(listed.length);
    for (const id of ids) expect(listed).toContain(id);
  });

  it('are held to the rules of EFS', async () => {
    expect(await refused({ FileSystemId: 'fs-12345678' })).toMatch(/^FileSystemNotFound/);
    expect(await refused({ ClientToken: 'x'.repeat(65) })).toMatch(/^BadRequest.*64/);
    expect(await refused({ RootDirectory: { Path: 'relative' } })).toMatch(/^BadRequest.*folders/);
    expect(await refused({ RootDirectory: { Path: '/a/b/c/d/e' } })).toMatch(/^BadRequest.*folders/);
    expect(await refused({ RootDirectory: { Path: `/${'a'.repeat(100)}` } })).toMatch(/^BadRequest/);
    const creation = { OwnerUid: 0, OwnerGid: 0, Permissions: '888' };
    expect(await refused({ RootDirectory: { Path: '/a', CreationInfo: creation } })).toMatch(/octal/);
    expect(await refused({ Tags: [{ Key: 'aws:mine', Value: '' }] })).toMatch(/no key of a tag/);
    const twice = [
      { Key: 'a', Value: '1' },
      { Key: 'a', Value: '2' },
    ];
    expect(await refused({ Tags: twice })).toMatch(/key twice/);
  });

  it('are found by the id of a file system or of an access point, not of both', async () => {
    const asked = (input: object) => refusal(efs.send(new DescribeAccessPointsCommand(input)));
    expect((await asked({ FileSystemId, AccessPointId: 'fsap-12345678' })).message).toContain('not of both');
    expect((await asked({ AccessPointId: 'fsap-12345678' })).name).toBe('AccessPointNotFound');
    expect((await asked({ FileSystemId: 'fs-12345678' })).name).toBe('FileSystemNotFound');
    expect((await asked({})).message).toContain('does not emulate');
    const gone = efs.send(new DeleteAccessPointCommand({ AccessPointId: 'fsap-12345678' }));
    expect((await refusal(gone)).name).toBe('AccessPointNotFound');
  });

  it('are all there is of EFS: other calls are unknown', async () => {
    const { name } = await refusal(efs.send(new DescribeFileSystemsCommand({})));
    expect(name).toBe('UnknownOperationException');
  });
});
