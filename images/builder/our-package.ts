import { readFileSync } from 'node:fs';

interface OurPackage {
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** This repository's package.json. */
export const ourPackage: OurPackage = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
