import { EFS } from '../api/rest-call.ts';
import { createAccessPoint, deleteAccessPoint, describeAccessPoints } from './access-points.ts';
import { createCluster, deleteCluster, describeClusters, putClusterCapacityProviders } from './clusters.ts';
import { createLogGroup, deleteLogGroup, describeLogStreams, getLogEvents } from './logs.ts';
import type { Operation } from './operation.ts';
import { runTask } from './run-task.ts';
import { createService, deleteService, describeServices, updateService } from './services.ts';
import { listTagsForResource, tagResource } from './tags.ts';
import {
  deregisterTaskDefinition,
  describeTaskDefinition,
  listTaskDefinitionFamilies,
  listTaskDefinitions,
  registerTaskDefinition,
} from './task-definitions.ts';
import { describeTasks, listTasks, stopTask } from './tasks.ts';

/** By `X-Amz-Target`, or what stands for it where there is none: the service, and what it is asked for. */
export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  AmazonEC2ContainerServiceV20141113: {
    CreateCluster: createCluster,
    CreateService: createService,
    DeleteCluster: deleteCluster,
    DeleteService: deleteService,
    DeregisterTaskDefinition: deregisterTaskDefinition,
    DescribeClusters: describeClusters,
    DescribeServices: describeServices,
    DescribeTaskDefinition: describeTaskDefinition,
    DescribeTasks: describeTasks,
    ListTagsForResource: listTagsForResource,
    ListTaskDefinitionFamilies: listTaskDefinitionFamilies,
    ListTaskDefinitions: listTaskDefinitions,
    ListTasks: listTasks,
    PutClusterCapacityProviders: putClusterCapacityProviders,
    RegisterTaskDefinition: registerTaskDefinition,
    RunTask: runTask,
    StopTask: stopTask,
    TagResource: tagResource,
    UpdateService: updateService,
  },
  [EFS]: {
    CreateAccessPoint: createAccessPoint,
    DeleteAccessPoint: deleteAccessPoint,
    DescribeAccessPoints: describeAccessPoints,
  },
  Logs_20140328: {
    CreateLogGroup: createLogGroup,
    DeleteLogGroup: deleteLogGroup,
    DescribeLogStreams: describeLogStreams,
    GetLogEvents: getLogEvents,
  },
};

/** The name of each service in the scope of a signature. */
export const SIGNING_NAMES: Readonly<Record<string, string>> = {
  AmazonEC2ContainerServiceV20141113: 'ecs',
  [EFS]: 'elasticfilesystem',
  Logs_20140328: 'logs',
};
