import { all, type ComponentResourceOptions, type Input, output } from '@pulumi/pulumi';

interface HeldBack {
  options: ComponentResourceOptions;
  /** Called once, with what must hold: where it fails, nothing is registered. */
  until(condition: Input<unknown>): void;
}

/**
 * Options with which a component is registered only once a condition holds that it finds out itself. Its children wait
 * for it, so that they are held back, too; what it asks providers is not.
 */
export function heldBack(options: ComponentResourceOptions = {}): HeldBack {
  const { promise, resolve } = Promise.withResolvers<Input<unknown>>();
  const dependsOn = all([options.dependsOn ?? [], output(promise)]).apply(([given]) => [given].flat());
  return { options: { ...options, dependsOn }, until: resolve };
}
