import { type BenchSetting, onDocker } from '../bench-setting.ts';
import type { Figure } from '../figure.ts';
import { fairLoad } from './fair-load.ts';
import { callRate } from './rate.ts';
import { callOfPaused } from './resume.ts';
import { scaleToZero } from './scale-to-zero.ts';
import { warmCall } from './warm-call.ts';

const ON_PROCESSES = { CONTAINER_MANAGER_TYPE: 'process' };

/** `shared`: the state in Redis, under other keys each time. */
export async function functionFigures(
  setting: BenchSetting,
  shared: () => Record<string, string>,
): Promise<Figure[]> {
  const docker = onDocker(setting);
  return [
    ...(await warmCall('Docker, state in memory', docker)),
    ...(await warmCall('Docker, state in Redis', { ...docker, ...shared() })),
    ...(await warmCall('processes, state in memory', ON_PROCESSES)),
    ...(await warmCall('processes, state in Redis', { ...ON_PROCESSES, ...shared() })),
    ...(await callRate('processes, state in memory', ON_PROCESSES)),
    ...(await callRate('processes, state in Redis', { ...ON_PROCESSES, ...shared() })),
    ...(await fairLoad('state in Redis', { ...ON_PROCESSES, ...shared() })),
    ...(await scaleToZero(setting, { ...docker, ...shared() })),
    ...(await callOfPaused(setting, docker)),
  ];
}
