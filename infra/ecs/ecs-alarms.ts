import { MetricAlarm } from '@pulumi/aws/cloudwatch/metricAlarm.js';
import type { Input, Output, Resource } from '@pulumi/pulumi';
import type { AlarmRule } from './alarm-rule.ts';
import type { EcsPlace } from './ecs-place.ts';

interface Given {
  rules: AlarmRule[];
  /** Who is told when one begins, and when it is over. */
  topicArn: Input<string> | undefined;
  /** Until it runs there is nothing to be alarmed about. */
  runtime: Resource;
}

/** Makes the alarms. */
export function ecsAlarms(
  { name, parent, tags }: EcsPlace,
  { rules, topicArn, runtime }: Given,
): Output<string>[] {
  const told = topicArn === undefined ? [] : [topicArn];
  return rules.map((rule) => {
    const called = `${name}-${rule.name}`;
    const alarm = new MetricAlarm(
      called,
      {
        name: called,
        alarmDescription: `${rule.means} What to do: docs/guides/operations.md#${rule.name}`,
        metricQueries: queriesOf(rule),
        comparisonOperator: rule.is === 'above' ? 'GreaterThanThreshold' : 'LessThanThreshold',
        threshold: rule.threshold,
        evaluationPeriods: rule.periods,
        treatMissingData: rule.silence ?? 'notBreaching',
        alarmActions: told,
        okActions: told,
        tags,
      },
      { parent, dependsOn: [runtime] },
    );
    return alarm.arn;
  });
}

function queriesOf({ metrics, expression, minutes, name }: AlarmRule) {
  const series = Object.entries(metrics).map(([id, metric]) => ({
    id,
    metric: {
      namespace: metric.namespace,
      metricName: metric.name,
      dimensions: metric.dimensions,
      stat: metric.stat,
      period: minutes * 60,
    },
    returnData: expression === undefined,
  }));
  if (expression === undefined) return series;
  return [...series, { id: 'result', expression, label: name, returnData: true }];
}
