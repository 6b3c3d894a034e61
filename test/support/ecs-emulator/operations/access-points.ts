import { AwsError } from '../api/aws-error.ts';
import { page } from '../api/page.ts';
import type { AccessPoint } from '../efs/access-point-store.ts';
import {
  CreateAccessPointRequest,
  DeleteAccessPointRequest,
  DescribeAccessPointsRequest,
} from '../efs/efs-shapes.ts';
import type { World } from '../world.ts';
import { operation } from './operation.ts';

const badRequest = (message: string) => new AwsError('BadRequest', message);

export const createAccessPoint = operation(
  CreateAccessPointRequest,
  (world, request) => wireAccessPoint(world, world.accessPoints.create(request), 'creating'),
  badRequest,
);

export const describeAccessPoints = operation(
  DescribeAccessPointsRequest,
  (world, { AccessPointId, FileSystemId, MaxResults, NextToken }) => {
    const { accessPoints } = world;
    if (AccessPointId !== undefined)
      return { AccessPoints: [wireAccessPoint(world, accessPoints.find(AccessPointId))] };
    if (FileSystemId === undefined)
      throw badRequest('The emulator does not emulate a list of the access points of all file systems.');
    accessPoints.requireFileSystem(FileSystemId);
    const ids = accessPoints.of(FileSystemId).map((point) => point.AccessPointId);
    const { items, next } = page(ids, MaxResults, NextToken);
    return {
      AccessPoints: items.map((id) => wireAccessPoint(world, accessPoints.find(id))),
      NextToken: next,
    };
  },
  badRequest,
);

export const deleteAccessPoint = operation(
  DeleteAccessPointRequest,
  (world, { AccessPointId }) => void world.accessPoints.delete(AccessPointId),
  badRequest,
);

function wireAccessPoint(
  { accessPoints, arns }: World,
  accessPoint: AccessPoint,
  LifeCycleState = accessPoints.stateOf(accessPoint),
) {
  const { availableAt: _, goneAt: __, ...point } = accessPoint;
  const Name = point.Tags.find(({ Key }) => Key === 'Name')?.Value;
  return { ...point, Name, OwnerId: arns.account, LifeCycleState };
}
