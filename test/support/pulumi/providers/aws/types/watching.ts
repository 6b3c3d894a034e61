import type { DashboardArgs } from '@pulumi/aws/cloudwatch/dashboard.js';
import type { LogMetricFilterArgs } from '@pulumi/aws/cloudwatch/logMetricFilter.js';
import type { MetricAlarmArgs } from '@pulumi/aws/cloudwatch/metricAlarm.js';
import type { FlowLogArgs } from '@pulumi/aws/ec2/flowLog.js';
import { ACCOUNT, type AwsType, arn, of } from '../aws-type.ts';

/** What tells people how it is. */
export const WATCHING: Readonly<Record<string, AwsType>> = {
  'aws:cloudwatch/metricAlarm:MetricAlarm': of<MetricAlarmArgs>(
    '{name}',
    [
      ...(['name', 'alarmDescription', 'metricQueries', 'comparisonOperator', 'threshold'] as const),
      ...(['evaluationPeriods', 'treatMissingData', 'alarmActions', 'okActions', 'tags'] as const),
    ],
    { named: 'name', replacing: ['name'], outputs: { arn: arn('cloudwatch', 'alarm:{name}') } },
  ),
  'aws:cloudwatch/dashboard:Dashboard': of<DashboardArgs>(
    '{dashboardName}',
    ['dashboardName', 'dashboardBody'],
    {
      replacing: ['dashboardName'],
      outputs: { dashboardArn: `arn:aws:cloudwatch::${ACCOUNT}:dashboard/{dashboardName}` },
    },
  ),
  'aws:cloudwatch/logMetricFilter:LogMetricFilter': of<LogMetricFilterArgs>(
    '{name}',
    ['name', 'logGroupName', 'pattern', 'metricTransformation'],
    { named: 'name', replacing: ['name', 'logGroupName'] },
  ),
  'aws:ec2/flowLog:FlowLog': of<FlowLogArgs>(
    'fl-#',
    [
      ...(['vpcId', 'trafficType', 'logDestinationType', 'logDestination'] as const),
      ...(['maxAggregationInterval', 'tags'] as const),
    ],
    { replacing: ['vpcId', 'trafficType', 'logDestinationType', 'logDestination', 'maxAggregationInterval'] },
  ),
};
