import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DeleteLogGroupCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import type { LogGroupArgs } from '@pulumi/aws/cloudwatch/logGroup.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { Effects } from '../aws-type.ts';

const logs = new CloudWatchLogsClient({});

/** A log group of the emulator's. */
export const logGroup: Effects<Unwrap<LogGroupArgs>> = {
  async created({ name }) {
    await logs.send(new CreateLogGroupCommand({ logGroupName: name }));
    return {};
  },
  async deleting({ name }) {
    await logs.send(new DeleteLogGroupCommand({ logGroupName: name }));
  },
};
