import type { Input, Resource } from '@pulumi/pulumi';
import { alarmRules } from './alarm-rules.ts';
import { ecsAlarms } from './ecs-alarms.ts';
import { ecsDashboard } from './ecs-dashboard.ts';
import type { EcsPlace } from './ecs-place.ts';
import { logSignals } from './log-signals.ts';
import type { Watched } from './watched.ts';

interface Given extends Omit<Watched, 'platform'> {
  runtimeService: Resource;
  topicArn: Input<string> | undefined;
}

/** What tells people how the platform is: alarms for what should wake someone, a dashboard for the rest. */
export function ecsWatch(place: EcsPlace, { runtimeService, topicArn, ...given }: Given): void {
  const watched: Watched = { platform: place.name, ...given };
  logSignals(place, runtimeService);
  const alarms = ecsAlarms(place, { rules: alarmRules(watched), topicArn, runtime: runtimeService });
  ecsDashboard(place, watched, alarms);
}
