import type { EmulatorClock } from '../emulator-clock.ts';
import type { HealthStatus } from './task-status.ts';

/** A health check of a task definition, with its defaults. Times are seconds. */
export interface HealthCheck {
  readonly command: readonly string[];
  readonly interval: number;
  readonly timeout: number;
  readonly retries: number;
  readonly startPeriod?: number | undefined;
}

export interface HealthCheckRun {
  readonly clock: EmulatorClock;
  readonly signal: AbortSignal;
  /** Runs the command once. */
  readonly check: (command: readonly string[], withinMs: number) => Promise<boolean>;
  readonly onHealth: (health: HealthStatus) => void;
}

/**
 * Checks until the signal is aborted. Failures within the start period count for nothing, unless a check has passed
 * before. The intervals go by the emulator's clock; a command gets its timeout by the wall's, since it is a real one.
 */
export async function watchHealth(check: HealthCheck, run: HealthCheckRun): Promise<void> {
  const countsFrom = run.clock.now() + (check.startPeriod ?? 0) * 1000;
  let failures = 0;
  let hasPassed = false;
  for (;;) {
    await run.clock.sleep(check.interval * 1000, run.signal);
    if (run.signal.aborted) return;
    const passed = await run.check(check.command, check.timeout * 1000).catch(() => false);
    if (run.signal.aborted) return;
    if (passed) {
      hasPassed = true;
      failures = 0;
      run.onHealth('HEALTHY');
      continue;
    }
    if (!hasPassed && run.clock.now() < countsFrom) continue;
    failures += 1;
    if (failures >= check.retries) run.onHealth('UNHEALTHY');
  }
}
