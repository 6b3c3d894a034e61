export const DEFAULT_REPLICAS = 2;

/** How many instances of the runtime there are when it is busy. */
export function mostInstances(replicas: number): number {
  return replicas * 4;
}
