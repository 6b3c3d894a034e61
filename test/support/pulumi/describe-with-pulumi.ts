import { describe } from 'vitest';
import { describeWith, type ProvidedService } from '../services/provided.ts';

/** Set by the suite's configuration: the engine's folder, or why there is none. */
export const PULUMI = { folder: 'TEST_PULUMI', missing: 'TEST_PULUMI_MISSING' } as const;

/** `describe` where there are a Pulumi engine, a Docker engine and these services. */
export function describeWithPulumi(
  title: string,
  tests: (engine: string) => void,
  services: readonly ProvidedService[] = [],
): void {
  describeWhere(['docker', ...services], title, tests);
}

/** `describe` where there is a Pulumi engine: for tests that make nothing. */
export function describeWithPulumiOnly(title: string, tests: (engine: string) => void): void {
  describeWhere([], title, tests);
}

function describeWhere(
  services: readonly ProvidedService[],
  title: string,
  tests: (engine: string) => void,
): void {
  const folder = process.env[PULUMI.folder];
  if (folder) describeWith(services, title, () => tests(folder));
  else describe.skip(`${title} (without pulumi: ${process.env[PULUMI.missing]})`, () => tests(''));
}
