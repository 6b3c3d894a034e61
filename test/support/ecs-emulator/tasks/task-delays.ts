/** Milliseconds of the emulator's clock: so many, or evenly between two bounds. */
export type Delay = number | readonly [least: number, most: number];

/** How long a task stays in a status at least, before what that status waits for. */
export interface TaskDelays {
  /** Until its network interface is attached. */
  readonly provisioning: Delay;
  /** Until its images are there. */
  readonly pending: Delay;
  readonly activating: Delay;
  readonly deactivating: Delay;
  /** Besides the time that its containers take to end. */
  readonly stopping: Delay;
  readonly deprovisioning: Delay;
}

export const NO_DELAYS: TaskDelays = {
  provisioning: 0,
  pending: 0,
  activating: 0,
  deactivating: 0,
  stopping: 0,
  deprovisioning: 0,
};

/** A cold start on Fargate, which caches no images: 30 to 45 seconds. */
export const FARGATE_DELAYS: TaskDelays = {
  provisioning: [8_000, 12_000],
  pending: [20_000, 30_000],
  activating: [2_000, 3_000],
  deactivating: [500, 1_500],
  stopping: [500, 1_500],
  deprovisioning: [5_000, 15_000],
};

export function pickDelay(delay: Delay, random: () => number = Math.random): number {
  if (typeof delay === 'number') return delay;
  const [least, most] = delay;
  return least + random() * (most - least);
}
