import type { ComponentResourceOptions } from '@pulumi/pulumi';
import { argsProblems, type Problem, refusal, wrongArguments } from './argument-problems.ts';
import { regionOf } from './ecs/ecs-place.ts';
import { ecsProblems } from './ecs/ecs-problems.ts';
import type { PlatformArgs } from './platform-args.ts';

/** A platform's name names its installation, and everything that it makes: short enough for AWS' shortest names. */
const NAME = /^(?=.{1,24}$)[a-z](-?[a-z0-9])*$/;

/** Throws one error that tells everything that is wrong, before anything is made. */
export function checkPlatform(name: string, args: PlatformArgs, options?: ComponentResourceOptions): void {
  const problems = platformProblems(name, args, regionOf(options));
  if (problems.length > 0) throw refusal(problems, (key) => (key === 'name' ? 'its name' : key));
}

/** Everything that is wrong with a platform, as far as it can be told before anything is asked. */
export function platformProblems(name: string, args: PlatformArgs, region: string | undefined): Problem[] {
  return [
    ...nameProblems(name),
    ...argsProblems(args),
    ...(args.platform === 'ecs' ? ecsProblems(args, region, wrongArguments(args)) : []),
  ];
}

function nameProblems(name: string): Problem[] {
  const wants = 'up to 24 of a-z, 0-9 and single -, a letter first and no - last';
  return NAME.test(name) ? [] : [{ key: 'name', wants, example: 'agents', is: name }];
}
